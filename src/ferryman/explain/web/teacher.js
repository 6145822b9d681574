// Two ways to run one decoder: all positions in one pass (training), or one position a step (translating).
import { figure, h, svg, table } from "./dom.js";
import { said } from "./softmax.js";
import { set, state } from "./state.js";
import { named } from "./attention.js";
import { show } from "./trace.js";
import { percent, t } from "./words.js";

export function teacher(trace) {
  const { inputs, target } = trace.units;
  const rows = trace.target.tokens.map((token, i) => ({
    "aria-current": i + 1 === state.step ? "true" : undefined,
    class: i + 1 > state.step ? "later" : undefined,
    onclick: () => set({ step: i + 1 }),
    cells: [
      String(i + 1),
      i === 0 ? show(inputs[0]) : t("teacher.sees", { first: show(inputs[0]), last: show(inputs[i]), n: i + 1 }),
      h("bdi", {}, said(token)),
      percent(Math.exp(trace.target.token_log_probs[i])),
    ],
  }));
  return [
    h(
      "div",
      { class: "pair" },
      figure(
        [t("teacher.once"), h("small", { class: "note" }, ` ${t("teacher.once.passes")}`)],
        triangle(inputs, target, inputs.length, "once"),
      ),
      figure(
        [
          t("teacher.steps"),
          h("small", { class: "note" }, ` ${t("teacher.steps.passes", { step: state.step, all: trace.length })}`),
        ],
        triangle(inputs, target, state.step, "steps"),
      ),
    ),
    h("p", {}, t("teacher.same")),
    table(t("teacher.table"), [t("step"), t("teacher.read"), t("teacher.says"), t("probability")], rows),
  ];
}

/** Which inputs every position reads: filled as far as computed, hatched where the mask forbids. */
function triangle(inputs, target, done, kind) {
  const [count, side, head] = [inputs.length, 84, 66];
  const cell = Math.max(5, Math.min(30, 300 / count));
  const width = side + cell * count + 40;
  const cells = [];
  for (let r = 0; r < count; r += 1) {
    for (let c = 0; c < count; c += 1) {
      const known = r < done;
      const name = c > r ? "future" : !known ? "waiting" : r === done - 1 && kind === "steps" ? "now" : "computed";
      const fill = c > r ? { fill: `url(#hatch-${kind})` } : {};
      cells.push(
        svg("rect", {
          x: side + c * cell,
          y: head + r * cell,
          width: cell - 1,
          height: cell - 1,
          class: name,
          ...fill,
        }),
      );
    }
  }
  const every = Math.ceil(13 / cell);
  const sides = target.map(
    (unit, r) =>
      r % every === 0 &&
      svg(
        "text",
        {
          x: side - 6,
          y: head + (r + 0.5) * cell,
          "text-anchor": "end",
          "dominant-baseline": "central",
          class: r < done ? "" : "faint",
        },
        named(unit).slice(0, 12),
      ),
  );
  const heads = inputs.map(
    (unit, c) =>
      c % every === 0 &&
      svg(
        "text",
        { transform: `translate(${side + (c + 0.5) * cell},${head - 6}) rotate(-48)` },
        show(unit).slice(0, 10),
      ),
  );
  const hatch = svg(
    "pattern",
    { id: `hatch-${kind}`, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 6, height: 6, class: "hatch-ground" }),
    svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, class: "hatch-line" }),
  );
  const title = t(`teacher.${kind}`);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${head + cell * count}`,
      class: "triangle",
      role: "img",
      "aria-label": title,
      style: `max-width:${width * 1.15}px`,
    },
    hatch,
    cells,
    sides.filter(Boolean),
    heads.filter(Boolean),
  );
}
