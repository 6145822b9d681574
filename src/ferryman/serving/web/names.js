// What languages are called in the language of the page.
import { page } from "./store.js";
import { currentLanguage } from "./words.js";

export function languageName(code) {
  try {
    const name = new Intl.DisplayNames(currentLanguage(), { type: "language", fallback: "none" }).of(code);
    if (name) return name;
  } catch {
    // no code that the browser understands
  }
  return page.offer.languages.find((one) => one.code === code)?.name ?? code;
}
