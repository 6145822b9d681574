// The memory: what the encoder hands over, once.
import { inverted, ramp } from "./colours.js";
import { figure, h } from "./dom.js";
import { signLegend, strip } from "./embedding.js";
import { similarity } from "./maths.js";
import { pictured } from "./numbers.js";
import { show } from "./trace.js";
import { number, t } from "./words.js";

export async function memory(trace) {
  const matrix = await trace.matrix("memory");
  const units = trace.units.source;
  const names = units.map(show);
  const map = async (name, id) => {
    const alike = similarity(await trace.matrix(name), true);
    const title = t(`memory.${id}`);
    return figure(
      title,
      pictured({
        id: `memory-${id}`,
        matrix: alike,
        rows: names,
        columns: names,
        title,
        paint: ramp("--source"),
        light: (value) => inverted(value),
        digits: (value) => (Math.abs(value) >= 0.005 ? number(value).replace("0.", ".") : ""),
        say: (a, b, value) => t("say.cosine", { a: names[a], b: names[b], value: number(value) }),
      }),
    );
  };
  return [
    h("p", { class: "note" }, t("memory.shape", { rows: matrix.rows, d_model: trace.model.d_model })),
    strip(trace, "memory", matrix, units, t("memory.strip")),
    signLegend(),
    h(
      "div",
      { class: matrix.rows > 16 ? "pair wide" : "pair" },
      trace.has("source_embedding.sum") ? await map("source_embedding.sum", "before") : "",
      await map("memory", "after"),
    ),
  ];
}
