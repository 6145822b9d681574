// Add & Norm: how the residual stream grows, and what normalisation makes of it.
import { figure, h, svg, table } from "./dom.js";
import { mean } from "./maths.js";
import { number, t } from "./words.js";

/** Every residual sum from the bottom up, with what its normalisation made of it. */
function stream(trace) {
  const all = Object.entries(trace.residual);
  const pre = trace.model.norm_order === "pre";
  return all.flatMap(([name, seen], i) => {
    const [stack, layer, sublayer] = name.split(".");
    if (!sublayer) return []; // the final norm normalises the last sum, which is there already
    const normed = pre ? all[i + 1][1] : seen; // in pre-norm, a sum is normalised where it is read next
    const lengths = seen.mean.map((m, place) => Math.sqrt(trace.model.d_model * (seen.variance[place] + m ** 2)));
    return {
      stack,
      lengths,
      label: `${t(`side.${stack}`)} ${Number(layer) + 1} · ${t(`sublayer.${sublayer}`)}`,
      short: `${Number(layer) + 1} ${t(`sublayer.${sublayer}.short`)}`,
      before: spread(seen.mean, seen.variance),
      after: spread(normed.norm_mean, normed.norm_variance),
    };
  });
}

/** The mean and standard deviation over features, for all positions together. */
function spread(means, variances) {
  return { mean: mean(means), deviation: Math.sqrt(mean(variances)) };
}

export function norm(trace) {
  const all = stream(trace);
  const scale =
    1.05 *
    Math.max(...all.flatMap(({ before, after }) => [before, after].map((one) => Math.abs(one.mean) + one.deviation)));
  const rows = all.map(({ label, lengths, before, after }) => [
    label,
    number(mean(lengths), 1),
    ...[before, after].map((one) => [interval(one, scale), `${number(one.mean)} ± ${number(one.deviation)}`]),
  ]);
  return [
    h("p", {}, t(trace.model.norm_order === "pre" ? "norm.pre" : "norm.post")),
    h(
      "div",
      { class: "pair even" },
      ["encoder", "decoder"].map((stack) =>
        growth(
          all.filter((one) => one.stack === stack),
          stack,
        ),
      ),
    ),
    h("p", { class: "note" }, t("norm.chart")),
    table(t("norm.table"), [t("norm.sublayer"), t("norm.size"), t("norm.before"), t("norm.after")], rows, {
      class: "norms",
    }),
    h("p", { class: "note" }, t("norm.scale")),
  ];
}

/** The mean and one standard deviation to both sides, on a scale shared by all. */
function interval({ mean: middle, deviation }, scale) {
  const place = (x) => 50 + (50 * x) / scale;
  const bar = h("i", { style: `left:${place(middle - deviation)}%;width:${(100 * deviation) / scale}%` });
  return h("span", { class: "interval", "aria-hidden": "true" }, bar, h("b", { style: `left:${place(middle)}%` }));
}

/** The length of the residual vectors after every sub-layer: a dot a position, a line for the mean. */
function growth(points, stack) {
  const peak = Math.max(...points.flatMap(({ lengths }) => lengths));
  const [width, height, left, bottom] = [360, 230, 40, 72];
  const x = (i) => left + ((i + 0.5) * (width - left - 6)) / Math.max(1, points.length);
  const y = (value) => height - bottom - (value / peak) * (height - bottom - 14);
  const ticks = [0, peak / 2, peak].map((value) => [
    svg("line", { x1: left, x2: width, y1: y(value), y2: y(value), class: "grid" }),
    svg(
      "text",
      { x: left - 6, y: y(value), "text-anchor": "end", "dominant-baseline": "central" },
      number(value, peak < 10 ? 1 : 0),
    ),
  ]);
  const dots = points.flatMap(({ lengths }, i) =>
    lengths.map((value) => svg("circle", { cx: x(i), cy: y(value), r: 2.2, class: "dot" })),
  );
  const line = svg("polyline", {
    class: "line",
    points: points.map(({ lengths }, i) => `${x(i)},${y(mean(lengths))}`).join(" "),
  });
  const names = points.map(({ short }, i) =>
    svg(
      "text",
      { transform: `translate(${x(i) + 3},${height - bottom + 10}) rotate(-55)`, "text-anchor": "end" },
      short,
    ),
  );
  const title = t("norm.growth", { stack: t(`side.${stack}`) });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: `growth ${stack}` },
    ticks,
    dots,
    line,
    names,
  );
  return figure(title, picture);
}
