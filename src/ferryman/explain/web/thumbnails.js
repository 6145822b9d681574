// All heads of all layers at a glance; choose one.
import { darkest, pixels } from "./colours.js";
import { h } from "./dom.js";
import { KINDS, scope } from "./trace.js";
import { t } from "./words.js";
import { set, state } from "./state.js";

/** A row of small pictures a layer, a column a head, the mean of the heads last. */
export function thumbnails(trace, kind) {
  const layers = Array.from({ length: trace.layers(kind) }, (_, i) => i + 1);
  const heads = [...Array.from({ length: trace.model.heads }, (_, i) => i + 1), "mean"];
  const rows = layers.map((layer) => [
    h("span", { class: "layer-name" }, t("layer.n", { n: layer })),
    heads.map((head) => thumbnail(trace, kind, layer, head)),
  ]);
  const top = heads.map((head) => h("span", { class: "head-name" }, head === "mean" ? t("mean.short") : head));
  return h(
    "div",
    { class: "thumbnails", role: "group", "aria-label": t("heads.all"), style: `--heads:${heads.length}` },
    h("span", { class: "corner" }, t("head")),
    top,
    rows,
  );
}

function thumbnail(trace, kind, layer, head) {
  const chosen = state[`layer.${kind}`] === layer && String(state[`head.${kind}`]) === String(head);
  const name = head === "mean" ? t("head.mean") : t("head.n", { n: head });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const button = h(
    "button",
    {
      id: `pick-${kind}-${layer}-${head}`,
      type: "button",
      class: "thumbnail",
      "aria-pressed": String(chosen),
      "aria-label": `${t("layer.n", { n: layer })}, ${name}`,
      title: `${t("layer.n", { n: layer })}, ${name}`,
      onclick: () => set({ [`layer.${kind}`]: layer, [`head.${kind}`]: head }),
    },
    canvas,
  );
  if (trace.has(`${scope(kind, layer)}.weights`)) {
    trace
      .weights(kind, layer, head === "mean" ? head : head - 1)
      .then((matrix) => paint(canvas, matrix, KINDS[kind].colour));
  }
  return button;
}

function paint(canvas, matrix, tone) {
  canvas.width = matrix.columns;
  canvas.height = matrix.rows;
  const bytes = pixels(tone, darkest(matrix), matrix.data);
  canvas.getContext("2d").putImageData(new ImageData(bytes, matrix.columns), 0, 0);
}
