// The whole machine as the paper's Figure 1 draws it; every part is a button that opens its panel.
import { h, svg } from "./dom.js";
import { said } from "./softmax.js";
import { set, state } from "./state.js";
import { isolate, percent, t } from "./words.js";

// The two columns: left edge and width.
const LEFT = [8, 148];
const RIGHT = [180, 148];
// [part, what else is chosen with it, column, top, height]
const BLOCKS = [
  ["result", {}, RIGHT, 0, 38],
  ["beam", {}, RIGHT, 54, 38],
  ["softmax", {}, RIGHT, 108, 40],
  ["norm", {}, RIGHT, 186, 20],
  ["feedforward", { stack: "decoder" }, RIGHT, 210, 34],
  ["norm", {}, RIGHT, 256, 20],
  ["cross", {}, RIGHT, 280, 38],
  ["norm", {}, RIGHT, 330, 20],
  ["decoder", {}, RIGHT, 354, 38],
  ["embedding", { stack: "decoder" }, RIGHT, 424, 36],
  ["teacher", {}, RIGHT, 478, 44],
  ["memory", {}, LEFT, 186, 34],
  ["norm", {}, LEFT, 262, 20],
  ["feedforward", { stack: "encoder" }, LEFT, 286, 34],
  ["norm", {}, LEFT, 330, 20],
  ["encoder", {}, LEFT, 354, 38],
  ["embedding", { stack: "encoder" }, LEFT, 424, 36],
  ["source", {}, LEFT, 478, 44],
  ["positions", {}, [108, 120], 536, 28],
];

// What flows where.
const WIRES = [
  "M82,478 V461",
  "M82,424 V393",
  "M82,354 V351",
  "M82,330 V321",
  "M82,286 V283",
  "M82,262 V221",
  "M254,478 V461",
  "M254,424 V393",
  "M254,354 V351",
  "M254,330 V319",
  "M254,280 V277",
  "M254,256 V245",
  "M254,210 V207",
  "M254,186 V149",
  "M254,108 V93",
  "M254,54 V39",
  "M150,536 C150,500 168,500 166,470 Q164,442 157,442",
  "M186,536 C186,500 168,500 170,470 Q172,442 179,442",
];
const SKIPS = [
  "M82,408 H0 V340 H8",
  "M82,325 H0 V272 H8",
  "M254,408 H336 V340 H328",
  "M254,325 H336 V266 H328",
  "M254,250 H336 V196 H328",
];
const HANDOVER = "M156,203 C172,203 160,299 179,299";
const FEEDBACK = "M328,128 C356,160 356,470 329,500";

export function map(trace) {
  const { encoder_layers: encoders, decoder_layers: decoders } = trace.model;
  const wires = svg(
    "svg",
    { viewBox: "-8 -4 368 576", class: "wires", "aria-hidden": "true" },
    svg(
      "defs",
      {},
      svg(
        "marker",
        { id: "tip", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" },
        svg("path", { d: "M0,0 L6,3 L0,6 z" }),
      ),
    ),
    svg("rect", { x: -6, y: 236, width: 170, height: 178, rx: 12, class: "stack source" }),
    svg("rect", { x: 172, y: 162, width: 170, height: 252, rx: 12, class: "stack target" }),
    WIRES.map((d) => svg("path", { d, class: "wire", "marker-end": "url(#tip)" })),
    SKIPS.map((d) => svg("path", { d, class: "skip" })),
    svg("path", { d: HANDOVER, class: "wire handover", "marker-end": "url(#tip)" }),
    svg("path", { d: FEEDBACK, class: "wire feedback", "marker-end": "url(#tip)" }),
    svg("text", { x: 3, y: 253, class: "times source" }, t("map.encoders", { n: encoders })),
    svg("text", { x: 176, y: 179, class: "times target" }, t("map.decoders", { n: decoders })),
  );
  const buttons = BLOCKS.map((block, i) => button(trace, block, i));
  const inner = h("div", { class: "machine" }, wires, buttons);
  inner.addEventListener("keydown", (event) => walk(event, inner));
  return h(
    "nav",
    { class: "map", "aria-label": t("map.title") },
    h("h2", {}, t("map.title")),
    h("p", { class: "note" }, t("map.note")),
    inner,
  );
}

function button(trace, [part, more, [left, width], top, height], i) {
  const now = state.part === part && (more.stack === undefined || more.stack === state.stack);
  const tail = more.stack ? ` (${t(`side.${more.stack}`)})` : "";
  return h(
    "button",
    {
      id: `map-${i}`,
      type: "button",
      class: `block ${part}`,
      "data-part": part,
      "aria-current": now ? "true" : undefined,
      "aria-label": `${t(`part.${part}`)}${tail}`,
      "aria-controls": "panel",
      style: `left:${left + 8}px;top:${top + 4}px;width:${width}px;height:${height}px`,
      onclick: () => open({ part, ...more }),
    },
    h("span", {}, t(`map.${part}`)),
    live(trace, part),
  );
}

/** Open a part; on a phone its panel stands below, so go there. */
function open(view) {
  set(view);
  if (matchMedia("(max-width: 860px)").matches) document.getElementById("panel").scrollIntoView({ block: "start" });
}

/** What a block says at the step that is looked at. */
function live(trace, part) {
  const step = trace.steps[state.step - 1];
  const token = trace.target.tokens[state.step - 1];
  const says = {
    softmax: () => `${isolate(said(token))} · ${percent(Math.exp(trace.target.token_log_probs[state.step - 1]))}`,
    beam: () => (trace.beam.steps.length ? tally(trace) : ""),
    teacher: () => (state.step === 1 ? t("start") : `… ${isolate(said(trace.target.tokens[state.step - 2]))}`),
    source: () => trace.source.text,
    result: () => trace.target.text,
    positions: () => "",
  }[part];
  return step && says ? h("small", { dir: part === "source" || part === "result" ? "auto" : null }, says()) : "";
}

function tally(trace) {
  const step = trace.beam.steps[Math.min(state.step, trace.beam.steps.length) - 1];
  const many = (fate) => step.candidates.filter((one) => one.fate === fate).length;
  return `● ${many("kept")}  ◆ ${many("finished")}  × ${many("dropped")}`;
}

/** Up and down walk through the parts. */
function walk(event, inner) {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!way) return;
  const buttons = [...inner.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(document.activeElement) + way];
  event.preventDefault();
  next?.focus();
}
