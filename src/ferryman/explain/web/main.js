// Start: read the trace, build the page, and draw again what changes.
import { h } from "./dom.js";
import { formula } from "./formulas.js";
import { showAll } from "./heatmap.js";
import { askBox } from "./live.js";
import { map } from "./map.js";
import { ORDER, PARTS, WHEN } from "./parts.js";
import { prefer, switches } from "./preferences.js";
import { bound, restore, set, state, subscribe } from "./state.js";
import { halt, keys, timeline } from "./timeline.js";
import { NotStored, Trace } from "./trace.js";
import { count, number, t } from "./words.js";

const VERSION = 1;
const holder = document.getElementById("page");
const page = { trace: null, problem: "", live: false, steps: null, drawing: 0 };

function receive(record) {
  if (record.format !== "ferryman-trace" || record.version !== VERSION) throw new Error(t("wrong.version"));
  if (!record.steps.length) throw new Error(t("wrong.empty"));
  page.trace = new Trace(record);
}

function head() {
  const { trace } = page;
  const facts = trace && t("facts", { ...trace.model, parameters: count(trace.model.parameters) });
  return h(
    "header",
    { class: "top" },
    h("div", {}, h("h1", {}, t("title")), facts && h("p", { class: "note" }, facts)),
    switches(build),
  );
}

/** Build the page anew: at the start, and when language, theme or sentence change. */
function build() {
  const focused = document.activeElement?.id;
  const { trace } = page;
  const box =
    page.live &&
    askBox((record, text) => {
      set({ step: 1, row: "", text });
      receive(record);
      showAll();
      build();
    }, state.text);
  const parts = [h("a", { class: "skip", href: "#panel", onclick: toPanel }, t("skip")), head(), box];
  if (trace) {
    bound("step", trace.length);
    page.steps = timeline(trace);
    parts.push(
      sentence(trace),
      page.steps.element,
      h("main", {}, h("div", { id: "map" }), h("section", { id: "panel", tabindex: "-1", "aria-live": "off" })),
      h("footer", {}, h("p", {}, t("footer"), trace.decoding.exact ? "" : ` ${t("inexact")}`)),
    );
  } else parts.push(h("main", { class: "empty" }, h("p", {}, page.problem || t("live.welcome"))));
  holder.replaceChildren(...parts.filter(Boolean));
  if (trace) draw();
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

function toPanel(event) {
  event.preventDefault();
  document.getElementById("panel")?.focus();
}

function sentence(trace) {
  const long = trace.source.text.length + trace.target.text.length > 160;
  return h(
    "section",
    { class: long ? "sentence long" : "sentence", "aria-label": t("sentence") },
    h("p", { class: "source", lang: trace.model.source_language, dir: "auto" }, trace.source.text),
    h("span", { "aria-hidden": "true" }, "→"),
    h("p", { class: "target", lang: trace.model.target_language, dir: "auto" }, trace.target.text),
    h("span", { class: "note" }, t("sentence.score", { score: number(trace.target.score, 3) })),
  );
}

/** Draw what depends on the view: the machine and the open panel. What has the keyboard keeps it. */
async function draw() {
  const mine = (page.drawing += 1);
  const { trace } = page;
  if (!(state.part in PARTS)) state.part = "source";
  const focused = document.activeElement?.id;
  page.steps.update();
  document.getElementById("map").replaceChildren(map(trace));
  const { part } = state;
  const content = await contents(part, trace);
  if (mine !== page.drawing) return; // something newer is being drawn
  const panel = document.getElementById("panel");
  const opened = [...panel.querySelectorAll("details")].map((one) => one.open);
  const same = panel.dataset.part === part;
  panel.replaceChildren(
    ...introduction(part, trace),
    ...content.flat(Infinity).filter((one) => one || one === 0),
    walk(part),
  );
  if (same) panel.querySelectorAll("details").forEach((one, i) => (one.open = opened[i] ?? one.open));
  for (const row of panel.querySelectorAll(".tall tr[aria-current]"))
    row.closest(".tall").scrollTop = row.offsetTop - 120;
  panel.dataset.part = part;
  panel.dataset.step = state.step;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** What a part shows; a sentence instead where the trace had no room for it. */
async function contents(part, trace) {
  try {
    return await PARTS[part](trace);
  } catch (error) {
    if (error instanceof NotStored) return [h("p", { class: "note" }, t("row.missing"))];
    throw error;
  }
}

function introduction(part, trace) {
  const place = ORDER.indexOf(part) + 1;
  const mathematics = formula(part, trace.model);
  const learned = part === "positions" && trace.model.positions !== "sinusoidal";
  const lead = learned ? "lead.positions.learned" : `lead.${part}`;
  return [
    h(
      "p",
      { class: "eyebrow" },
      t("walk.place", { place, all: ORDER.length }),
      part in WHEN ? ` · ${t(`walk.${WHEN[part]}`)}` : "",
    ),
    h("h2", {}, t(`part.${part}`)),
    h("p", { class: "lead" }, t(lead)),
    ...(mathematics ? [mathematics] : []),
  ];
}

function walk(part) {
  const place = ORDER.indexOf(part);
  const to = (name, key) =>
    name &&
    h(
      "button",
      { type: "button", id: `walk-${key}`, class: "quiet", onclick: () => open(name) },
      t(`walk.${key}`, { part: t(`part.${name}`) }),
    );
  return h(
    "div",
    { class: "walk" },
    to(ORDER[place - 1], "back") || h("span"),
    to(ORDER[place + 1], "next") || h("span"),
  );
}

function open(part) {
  set({ part });
  document.getElementById("panel").scrollIntoView({ block: "start" });
}

function start() {
  restore();
  prefer(build);
  const record = JSON.parse(document.getElementById("trace").textContent);
  page.live = record === null;
  try {
    if (record) receive(record);
  } catch (error) {
    page.problem = error.message;
  }
  subscribe(() => page.trace && draw());
  keys(() => page.trace?.length ?? 1);
  addEventListener("pagehide", halt);
  build();
  if (page.live && state.text) document.querySelector(".ask").requestSubmit();
}

start();
