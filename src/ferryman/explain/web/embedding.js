// A token's vector, its position's vector, and their sum.
import { diverging } from "./colours.js";
import { figure, h, toggle } from "./dom.js";
import { mean } from "./maths.js";
import { pictured } from "./numbers.js";
import { set, state } from "./state.js";
import { show } from "./trace.js";
import { number, t } from "./words.js";

export function sides(current) {
  return h(
    "div",
    { class: "segmented", role: "group", "aria-label": t("side") },
    ["encoder", "decoder"].map((side) =>
      toggle(`side-${side}`, current === side, t(`side.${side}`), () => set({ stack: side })),
    ),
  );
}

/** Features of all positions as a strip; says so where features were averaged. */
export function strip(trace, name, matrix, units, title, peak = matrix.peak) {
  const summary = trace.summary(name);
  return figure(
    [title, summary ? h("small", { class: "note" }, ` ${t("summary", summary)}`) : ""],
    pictured({
      id: `strip-${name}`,
      matrix,
      rows: units.map(show),
      columns: null,
      shape: "strip",
      title,
      paint: diverging(peak),
      say: (row, column, value) =>
        t("say.feature", { word: show(units[row]), feature: column + 1, value: number(value, 3) }),
    }),
  );
}

export async function embedding(trace) {
  const side = state.stack === "decoder" ? "target" : "source";
  const units = trace.units[side === "source" ? "source" : "inputs"];
  const names = ["tokens", "positions", "sum"]
    .map((part) => `${side}_embedding.${part}`)
    .filter((name) => trace.has(name));
  if (!names.length) return [sides(state.stack), h("p", { class: "note" }, t("row.missing"))];
  const found = await Promise.all(names.map((name) => trace.matrix(name)));
  const spread = (matrix) => Math.sqrt(mean(Array.from(matrix.data, (x) => x * x)));
  const peak = Math.max(...found.map((matrix) => 3 * spread(matrix)));
  const signs = { tokens: "", positions: "+ ", sum: "= " };
  const titles = names.map((name) => {
    const part = name.split(".")[1];
    return `${signs[part]}${t(`embedding.${part}`)}`;
  });
  return [
    sides(state.stack),
    names.map((name, i) => strip(trace, name, found[i], units, titles[i], peak)),
    h(
      "p",
      { class: "note" },
      t("embedding.sizes", {
        scale: number(trace.model.embedding_scale, 1),
        tokens: number(spread(found[0])),
        positions: number(spread(found.at(-2) ?? found[0])),
      }),
    ),
    signLegend(),
  ];
}

export function signLegend() {
  const shade = diverging(1);
  return h(
    "div",
    { class: "legend" },
    [-1, -0.5, 0, 0.5, 1].map((value) =>
      h(
        "span",
        {},
        h("i", { class: "swatch", style: `background:${shade(value)}` }),
        { "-1": t("negative"), 0: "0", 1: t("positive") }[value] ?? "",
      ),
    ),
  );
}
