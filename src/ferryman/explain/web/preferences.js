// Light or dark, English or Chinese: chosen by the reader, else as the system has it.
import { h } from "./dom.js";
import { remember, remembered } from "./state.js";
import { currentLanguage, t, useLanguage } from "./words.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = "";

function theme() {
  return remembered("theme") ?? (chosen || (dark.matches ? "dark" : "light"));
}

function paint() {
  document.documentElement.dataset.theme = theme();
}

/** Show the page as preferred, now and when the system changes; `build` draws it anew. */
export function prefer(build) {
  useLanguage(currentLanguage());
  paint();
  dark.addEventListener("change", () => (paint(), build()));
}

/** The buttons to choose. */
export function switches(build) {
  const other = currentLanguage() === "zh" ? "en" : "zh";
  const next = theme() === "dark" ? "light" : "dark";
  const button = (id, text, act, more) =>
    h("button", { id, type: "button", class: "quiet", onclick: () => (act(), build()), ...more }, text);
  const change = () => {
    chosen = next;
    remember("theme", next);
    paint();
  };
  return h(
    "div",
    { class: "preferences" },
    button("language", t("language.other"), () => useLanguage(other), { lang: other }),
    button("theme", t(`theme.${next}`), change),
  );
}
