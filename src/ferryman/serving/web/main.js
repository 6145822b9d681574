// Start: ask what the server has, build the page, and draw again what changes.
import { ask } from "./client.js";
import { closer } from "./closer.js";
import { fileLine } from "./documents.js";
import { h } from "./dom.js";
import { languageBar } from "./languages.js";
import { prefer, switches } from "./preferences.js";
import { shortcutList, shortcuts } from "./shortcuts.js";
import { dropping, sourcePane } from "./source.js";
import { givenKey } from "./state.js";
import { change, page, subscribe, targets, unsubscribeAll } from "./store.js";
import { targetPane } from "./target.js";
import { keyLine, troubleLine } from "./trouble.js";
import { t } from "./words.js";

const holder = document.getElementById("page");

/** Build the page anew: at the start, and when language or theme change. */
function build() {
  const focused = document.activeElement?.id;
  unsubscribeAll();
  const parts = { key: keyLine(), languages: languageBar(), source: sourcePane(), target: targetPane() };
  Object.assign(parts, { trouble: troubleLine(), file: fileLine(), closer: closer() });
  for (const { update } of Object.values(parts)) subscribe(update);
  const { key, languages, source, target, trouble, file, closer: closely } = parts;
  const main = h(
    "main",
    {},
    key.element,
    h("div", { class: "desk" }, languages.element, h("div", { class: "panes" }, source.element, target.element)),
    trouble.element,
    file.element,
    closely.element,
  );
  holder.replaceChildren(
    h("a", { class: "skip", href: "#source" }, t("skip")),
    h(
      "header",
      { class: "top" },
      h("div", {}, h("h1", {}, t("title")), h("p", { class: "note" }, t("tagline"))),
      switches(build),
    ),
    main,
    h("footer", {}, shortcutList(), links()),
  );
  change({});
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function links() {
  return h(
    "p",
    { class: "links" },
    h("a", { href: "./explore" }, t("links.explore")),
    h("a", { href: "./docs" }, t("links.docs")),
  );
}

async function start() {
  prefer(build);
  shortcuts();
  dropping(document.body);
  build();
  document.getElementById("source").focus();
  try {
    const [languages, settings] = await Promise.all(
      ["./languages", "./frontend/settings"].map(async (path) => (await ask(path)).json()),
    );
    const offer = { languages, limit: settings.charLimit, suffixes: settings.supportedFilesFormat };
    change({ offer, keyNeeded: settings.keyRequired && !givenKey(), target: settings.language.target.code });
    if (!targets().includes(page.target)) change({ target: targets()[0] ?? "" });
  } catch (error) {
    change({ error });
  }
}

start();
