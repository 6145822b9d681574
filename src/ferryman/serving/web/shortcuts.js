// What the keyboard does.
import { h } from "./dom.js";
import { swap } from "./languages.js";
import { askOthers, halt, restart } from "./run.js";
import { page } from "./store.js";
import { copy } from "./target.js";
import { t } from "./words.js";

const ALT = { KeyC: copy, KeyO: others, KeyX: swap, KeyI: () => document.getElementById("inside")?.click() };
const SHOWN = [
  ["now", "Ctrl", "↵"],
  ["copy", "Alt", "C"],
  ["others", "Alt", "O"],
  ["swap", "Alt", "X"],
  ["inside", "Alt", "I"],
  ["words", "←", "→"],
  ["stop", "Esc"],
];

function others() {
  const one = page.sentences[page.chosen];
  if (one && !one.others && !page.asking && page.whole) askOthers();
}

export function shortcuts() {
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) restart(true);
    else if (event.key === "Escape" && (page.running || page.waiting)) halt();
    else if (event.altKey && !event.ctrlKey && ALT[event.code]) ALT[event.code]();
    else return;
    event.preventDefault();
  });
}

/** They, told. */
export function shortcutList() {
  const one = ([name, ...keys]) =>
    h(
      "li",
      {},
      keys.map((key) => h("kbd", {}, key)),
      t(`keys.${name}`),
    );
  return h("ul", { class: "keys", "aria-label": t("keys") }, SHOWN.map(one));
}
