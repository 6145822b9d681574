// The text alternative of a picture: its numbers.
import { folded, table } from "./dom.js";
import { heatmap } from "./heatmap.js";
import { number, t } from "./words.js";

const MOST = 64; // columns: more would be a page of their own

/** A folded table of a matrix; without names, columns are numbered. */
export function numbers({ matrix, rows, columns, title, precision = 3 }) {
  return folded(t("numbers.all"), () => {
    const shown = Math.min(MOST, matrix.columns);
    const heads = columns?.slice(0, shown) ?? Array.from({ length: shown }, (_, i) => String(i + 1));
    const lines = rows.map((name, r) => [
      name,
      ...Array.from(matrix.row(r).subarray(0, shown), (x) => number(x, precision)),
    ]);
    const caption = shown < matrix.columns ? `${title} ${t("numbers.first", { shown, all: matrix.columns })}` : title;
    return table(caption, ["", ...heads], lines, { class: "numbers" });
  });
}

/** A heat map and its numbers. */
export function pictured(options) {
  return [heatmap(options), numbers(options)];
}
