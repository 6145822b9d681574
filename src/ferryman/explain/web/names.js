// What languages are called in the language of the page.
import { currentLanguage } from "./words.js";

/** Name a language; one that the browser does not know as the server does, which lists `{code, name}`. */
export function languageName(code, listed) {
  try {
    const name = new Intl.DisplayNames(currentLanguage(), { type: "language", fallback: "none" }).of(code);
    if (name) return name;
  } catch {
    // no code that the browser understands
  }
  return listed.find((one) => one.code === code)?.name ?? code;
}
