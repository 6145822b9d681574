// Positions: the sinusoids, how alike near positions are, and what a sentence is without them.
import { diverging } from "./colours.js";
import { figure, h, svg } from "./dom.js";
import { signLegend, strip } from "./embedding.js";
import { similarity } from "./maths.js";
import { pictured } from "./numbers.js";
import { shuffling } from "./shuffle.js";
import { number, t } from "./words.js";

export async function positions(trace) {
  const name = "source_embedding.positions";
  const encoding = await trace.matrix(name);
  const alike = similarity(encoding, false);
  const top = alike.peak;
  const places = trace.units.source.map((unit) => String(unit.place));
  return [
    strip(trace, name, encoding, trace.units.source, t("positions.strip")),
    signLegend(),
    h(
      "div",
      { class: encoding.rows > 22 ? "pair wide" : "pair" },
      figure(
        t("positions.alike"),
        pictured({
          id: "alike",
          matrix: alike,
          rows: places,
          columns: places,
          title: t("positions.alike"),
          paint: diverging(top),
          say: (a, b, value) => t("say.alike", { a, b, value: number(value, 1) }),
        }),
      ),
      waves(encoding),
    ),
    await shuffling(trace),
  ];
}

/** Three of the features as curves over the positions: fast, slow, slower. */
function waves(encoding) {
  const chosen = [0, 1 / 8, 1 / 3].map((share) => 2 * Math.floor((share * encoding.columns) / 2));
  const [width, height] = [320, 70];
  const curves = chosen.map((feature) => {
    const last = Math.max(1, encoding.rows - 1);
    const at = (row) => [(width * row) / last, height / 2 - encoding.at(row, feature) * (height / 2 - 6)];
    const points = Array.from({ length: encoding.rows }, (_, row) => at(row));
    const space = svg(
      "svg",
      {
        viewBox: `-4 0 ${width + 8} ${height}`,
        role: "img",
        "aria-label": t("positions.wave", { feature: feature + 1 }),
      },
      svg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
      points.map(([x, y]) => svg("circle", { cx: x, cy: y, r: 3 })),
    );
    return figure(t("positions.wave", { feature: feature + 1 }), space);
  });
  return h("div", { class: "waves" }, curves);
}
