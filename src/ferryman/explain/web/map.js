// The whole machine as the paper's Figure 1 draws it; every part is a button that opens its panel.
import { h, svg } from "./dom.js";
import { said } from "./softmax.js";
import { set, state } from "./state.js";
import { percent, t } from "./words.js";

// [part, what else is chosen with it, left, top, width, height]
const LEFT = [8, 148];
const RIGHT = [180, 148];
const BLOCKS = [
  ["result", {}, 180, 0, 148, 36],
  ["beam", {}, 180, 50, 148, 36],
  ["softmax", {}, 180, 100, 148, 40],
  ["norm", {}, ...at(RIGHT, 164), 20],
  ["feedforward", { stack: "decoder" }, ...at(RIGHT, 186), 36],
  ["norm", {}, ...at(RIGHT, 232), 20],
  ["cross", {}, ...at(RIGHT, 254), 40],
  ["norm", {}, ...at(RIGHT, 304), 20],
  ["decoder", {}, ...at(RIGHT, 326), 40],
  ["memory", {}, ...at(LEFT, 176), 36],
  ["norm", {}, ...at(LEFT, 236), 20],
  ["feedforward", { stack: "encoder" }, ...at(LEFT, 258), 36],
  ["norm", {}, ...at(LEFT, 304), 20],
  ["encoder", {}, ...at(LEFT, 326), 40],
  ["embedding", { stack: "encoder" }, ...at(LEFT, 394), 36],
  ["embedding", { stack: "decoder" }, ...at(RIGHT, 394), 36],
  ["source", {}, ...at(LEFT, 448), 44],
  ["teacher", {}, ...at(RIGHT, 448), 44],
  ["positions", {}, 94, 504, 148, 32],
];

function at([left, width], top) {
  return [left, top, width];
}

// What flows where: the paths of the wires.
const WIRES = [
  "M82,448 V430", "M82,394 V366", "M82,326 V324", "M82,304 V294", "M82,258 V256", "M82,236 V212",
  "M254,448 V430", "M254,394 V366", "M254,326 V324", "M254,304 V294", "M254,254 V252", "M254,232 V222", "M254,186 V184", "M254,164 V140",
  "M254,100 V86", "M254,50 V36", "M120,504 C120,470 168,470 160,420 L156,414", "M216,504 C216,470 168,470 176,420 L180,414",
];
const SKIPS = [
  "M82,380 H2 V314 H8", "M82,299 H2 V246 H8", "M254,380 H334 V314 H328", "M254,299 H334 V242 H328", "M254,227 H334 V174 H328",
];
const HANDOVER = "M156,194 C170,194 164,274 180,274";
const FEEDBACK = "M328,120 C352,150 352,460 328,470";

export function map(trace) {
  const { encoder_layers: encoders, decoder_layers: decoders } = trace.model;
  const wires = svg("svg", { viewBox: "-8 -4 368 544", class: "wires", "aria-hidden": "true" },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 6 6", refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" }, svg("path", { d: "M0,0 L6,3 L0,6 z" }))),
    svg("rect", { x: -4, y: 226, width: 168, height: 148, rx: 12, class: "stack source" }),
    svg("rect", { x: 172, y: 154, width: 168, height: 220, rx: 12, class: "stack target" }),
    WIRES.map((d) => svg("path", { d, class: "wire", "marker-end": "url(#tip)" })),
    SKIPS.map((d) => svg("path", { d, class: "skip" })),
    svg("path", { d: HANDOVER, class: "wire handover", "marker-end": "url(#tip)" }),
    svg("path", { d: FEEDBACK, class: "wire feedback", "marker-end": "url(#tip)" }),
    svg("text", { x: 0, y: 222, class: "times source" }, t("map.encoders", { n: encoders })),
    svg("text", { x: 176, y: 150, class: "times target" }, t("map.decoders", { n: decoders })));
  const buttons = BLOCKS.map((block, i) => button(trace, block, i));
  const inner = h("div", { class: "machine" }, wires, buttons);
  inner.addEventListener("keydown", (event) => walk(event, inner));
  return h("nav", { class: "map", "aria-label": t("map.title") }, h("h2", {}, t("map.title")), h("p", { class: "note" }, t("map.note")), inner);
}

function button(trace, [part, more, left, top, width, height], i) {
  const now = state.part === part && (more.stack === undefined || more.stack === state.stack);
  const tail = more.stack ? ` (${t(`side.${more.stack}`)})` : "";
  return h(
    "button",
    {
      id: `map-${i}`, type: "button", class: `block ${part}`, "data-part": part, "aria-current": now ? "true" : undefined,
      "aria-label": `${t(`part.${part}`)}${tail}`, "aria-controls": "panel",
      style: `left:${left + 8}px;top:${top + 4}px;width:${width}px;height:${height}px`,
      onclick: () => set({ part, ...more }),
    },
    h("span", {}, t(`map.${part}`)),
    live(trace, part),
  );
}

/** What a block says at the step that is looked at. */
function live(trace, part) {
  const step = trace.steps[state.step - 1];
  const token = trace.target.tokens[state.step - 1];
  const says = {
    softmax: () => `${said(token)} · ${percent(Math.exp(trace.target.token_log_probs[state.step - 1]))}`,
    beam: () => tally(trace),
    teacher: () => (state.step === 1 ? t("start") : `… ${said(trace.target.tokens[state.step - 2])}`),
    source: () => trace.source.text,
    result: () => trace.target.text,
    positions: () => "",
  }[part];
  return step && says ? h("small", { dir: "auto" }, says()) : "";
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
