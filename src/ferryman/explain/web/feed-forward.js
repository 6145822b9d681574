// The feed-forward layer: every position by itself, wide and back again.
import { diverging } from "./colours.js";
import { choice, figure, h, table } from "./dom.js";
import { sides, strip } from "./embedding.js";
import { bound, set, state } from "./state.js";
import { show } from "./trace.js";
import { count, number, percent, t } from "./words.js";

export async function feedForward(trace) {
  const stack = state.stack;
  bound("layer.feed", trace.layers(stack));
  const layer = state["layer.feed"];
  const scope = `${stack}.${layer - 1}`;
  const units = trace.units[stack === "encoder" ? "source" : "inputs"];
  const place = stack === "encoder" ? Math.min(Number(state.row) || 0, units.length - 1) : state.step - 1;
  const names = {
    input: inputName(trace, scope, stack),
    hidden: `${scope}.feed_forward.hidden`,
    output: `${scope}.feed_forward.output`,
  };
  const found = {};
  for (const [part, name] of Object.entries(names)) if (trace.has(name)) found[part] = await trace.matrix(name);
  const layers = Array.from({ length: trace.layers(stack) }, (_, i) => [i + 1, t("layer.n", { n: i + 1 })]);
  return [
    h(
      "div",
      { class: "switches" },
      sides(stack),
      choice("feed-layer", t("layer"), layers, layer, (value) => set({ "layer.feed": Number(value) })),
    ),
    found.hidden ? funnel(trace, found, units[place], place) : h("p", { class: "note" }, t("row.missing")),
    found.hidden ? active(trace, found.hidden, units, place, names.hidden) : "",
    found.hidden
      ? strip(trace, names.hidden, found.hidden, units, t("feed.all", { d_ff: count(trace.model.d_ff) }))
      : "",
  ];
}

/** What the layer reads: in pre-norm its own norm, in post-norm that of the sub-layer before it. */
function inputName(trace, scope, stack) {
  if (trace.model.norm_order === "pre") return `${scope}.feed_forward.norm`;
  return `${scope}.${stack === "encoder" ? "self_attention" : "cross_attention"}.norm`;
}

/** d_model -> d_ff -> d_model for one token, the widths in proportion. */
function funnel(trace, found, unit, place) {
  const { d_model, d_ff, activation } = trace.model;
  const narrow = `${Math.max(12, (100 * d_model) / d_ff)}%`;
  const bar = (matrix, width, label) => {
    const canvas = h("canvas", { "aria-hidden": "true", style: `width:${width}` });
    canvas.width = matrix.columns;
    canvas.height = 1;
    const context = canvas.getContext("2d");
    const shade = diverging(Math.max(...Array.from(matrix.row(place), Math.abs)));
    matrix.row(place).forEach((value, i) => {
      context.fillStyle = shade(value);
      context.fillRect(i, 0, 1, 1);
    });
    return h("div", { class: "barcode" }, canvas, h("span", {}, label));
  };
  const wedge = (kind) => h("div", { class: `wedge ${kind}`, style: `--narrow:${narrow}`, "aria-hidden": "true" });
  return figure(
    t("feed.funnel", { word: show(unit) }),
    h(
      "div",
      { class: "funnel" },
      found.input ? bar(found.input, narrow, t("feed.input", { d_model: count(d_model) })) : "",
      wedge("wider"),
      bar(found.hidden, "100%", t("feed.hidden", { d_ff: count(d_ff), activation })),
      wedge("narrower"),
      found.output ? bar(found.output, narrow, t("feed.output", { d_model: count(d_model) })) : "",
    ),
  );
}

function active(trace, hidden, units, place, name) {
  const share = (row) => hidden.row(row).reduce((sum, x) => sum + (x !== 0), 0) / hidden.columns;
  const strongest = (row) =>
    hidden.row(row).reduce((best, x, i, all) => (Math.abs(x) > Math.abs(all[best]) ? i : best), 0);
  const summary = trace.summary(name);
  const rows = units.map((unit, row) => ({
    "aria-current": row === place ? "true" : undefined,
    onclick: () => set(state.stack === "encoder" ? { row } : { step: row + 1 }),
    cells: [
      h("span", { class: "numbered" }, h("i", {}, unit.number || "·"), h("bdi", {}, show(unit))),
      [
        h("span", { class: "bar" }, h("i", { style: `inline-size:${share(row) * 100}%` })),
        h("b", {}, percent(share(row))),
      ],
      summary ? "–" : `${count(strongest(row) + 1)} (${number(hidden.at(row, strongest(row)))})`,
    ],
  }));
  return [
    table(t("feed.table"), [t("word"), t("feed.active"), t("feed.strongest")], rows),
    summary
      ? h("p", { class: "note" }, t("feed.bins", summary))
      : trace.model.activation === "relu"
        ? ""
        : h("p", { class: "note" }, t("feed.smooth")),
  ];
}
