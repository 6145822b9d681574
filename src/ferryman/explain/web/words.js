// The page's words in the chosen language.
import { remember, remembered } from "./state.js";

const texts = JSON.parse(document.getElementById("texts").textContent);
let language = remembered("language") ?? (navigator.language?.startsWith("zh") ? "zh" : "en");

export function currentLanguage() {
  return language;
}

export function useLanguage(name) {
  language = name;
  remember("language", name);
  document.documentElement.lang = name === "zh" ? "zh-Hans" : "en";
  document.title = t("title");
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc]/;

export function direction(text) {
  return RIGHT_TO_LEFT.test(text) ? "rtl" : "ltr";
}

/** Keep right-to-left words from turning around what stands beside them in a line. */
export function isolate(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** The words for a key, with {names} filled in. */
export function t(key, values = {}) {
  const text = texts[language]?.[key] ?? texts.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => isolate(String(values[name] ?? "")));
}

export function number(value, digits = 2) {
  const text = Math.abs(value).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

export function count(value) {
  return value.toLocaleString("en");
}

/** A probability in percent, with as many digits as it takes to be told from nothing and from certainty. */
export function percent(p) {
  if (p > 0 && p < 0.0001) return "< 0.01 %";
  return `${number(p * 100, p >= 0.0995 && p < 0.995 ? 1 : 2)} %`;
}
