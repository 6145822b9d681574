// From which language into which.
import { button } from "./buttons.js";
import { h } from "./dom.js";
import { languageName } from "./names.js";
import { restart } from "./run.js";
import { change, page, targets, translation } from "./store.js";
import { t } from "./words.js";

const SURE = 0.9;

export function languageBar() {
  const source = h("select", { id: "from", "aria-label": t("from"), onchange: () => choose({ source: source.value }) });
  const target = h("select", { id: "into", "aria-label": t("into"), onchange: () => choose({ target: target.value }) });
  const turn = button("swap", "round", "⇄", swap, { "aria-label": t("swap"), title: t("swap") });
  const detected = h("span", { id: "detected", class: "note", role: "status" });
  const element = h(
    "div",
    { class: "languages" },
    h("div", { class: "side source" }, source, detected),
    turn,
    h("div", { class: "side target" }, target),
  );
  const update = () => {
    const { languages } = page.offer;
    const sources = languages.filter(({ targets }) => targets.length > 1).map(({ code }) => [code, named(code)]);
    list(source, [["auto", t("detect")], ...sources], page.source);
    list(target, targets().map((code) => [code, named(code)]), page.target); // prettier-ignore
    detected.textContent = found();
    turn.hidden = !swapped();
  };
  return { element, update };
}

function named(code) {
  return languageName(code, page.offer.languages);
}

function list(select, options, value) {
  const wanted = JSON.stringify([options, value]);
  if (select.dataset.list === wanted) return; // an open list stays open
  select.dataset.list = wanted;
  select.replaceChildren(...options.map(([code, name]) => h("option", { value: code }, name)));
  select.value = value;
}

/** What was detected, and whether that was a guess. */
function found() {
  const { whole } = page;
  if (!whole) return "";
  const name = named(whole.source);
  if (whole.source === whole.target) return t("detected.same", { name });
  if (whole.detected === undefined) return "";
  return whole.detected >= SURE ? name : t("detected.unsure", { name, p: `${Math.round(100 * whole.detected)} %` });
}

function choose(changes) {
  change({ ...changes, translated: null });
  if (!targets().includes(page.target)) change({ target: targets()[0] ?? "" });
  restart(true);
}

/** The languages the other way round, if the server has that way. */
function swapped() {
  const source = page.target;
  const target = page.source === "auto" ? page.whole?.source : page.source;
  const known = page.offer.languages.find((one) => one.code === source)?.targets ?? [];
  return target && target !== source && known.includes(target) ? { source, target } : null;
}

/** Translate back what was translated. */
export function swap() {
  const turned = swapped();
  if (!turned) return;
  change({ ...turned, text: translation() || page.text, translated: null });
  restart(true);
}
