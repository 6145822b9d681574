// Add & Norm: how the residual stream grows, and what normalisation makes of it.
import { figure, h, svg, table } from "./dom.js";
import { mean } from "./maths.js";
import { number, t } from "./words.js";

/** What each sub-layer added to, in order: {name, label, stack, norms: one a position}. */
function stream(trace) {
  return Object.entries(trace.residual).map(([name, seen]) => {
    const [stack, layer, sublayer] = name.split(".");
    const size = (i) => Math.sqrt(trace.model.d_model * (seen.variance[i] + seen.mean[i] ** 2));
    const label = sublayer ? `${t(`side.${stack}`)} ${Number(layer) + 1} · ${t(`sublayer.${sublayer}`)}` : t("norm.final", { stack: t(`side.${stack}`) });
    return { name, stack, label, short: sublayer ? `${Number(layer) + 1} ${t(`sublayer.${sublayer}.short`)}` : t("norm.final.short"), seen, norms: seen.mean.map((_, i) => size(i)) };
  });
}

export function norm(trace) {
  const all = stream(trace);
  const rows = all.map(({ label, seen, norms }) => [
    label,
    number(mean(norms), 1),
    [interval(seen.mean, seen.variance, all), `${number(mean(seen.mean))} ± ${number(Math.sqrt(mean(seen.variance)))}`],
    [interval(seen.norm_mean, seen.norm_variance, all), `${number(mean(seen.norm_mean))} ± ${number(Math.sqrt(mean(seen.norm_variance)))}`],
  ]);
  return [
    h("p", {}, t(trace.model.norm_order === "pre" ? "norm.pre" : "norm.post")),
    h("div", { class: "pair" },
      ["encoder", "decoder"].map((stack) => growth(all.filter((one) => one.stack === stack), stack, Math.max(...all.flatMap((one) => one.norms))))),
    h("p", { class: "note" }, t("norm.chart")),
    table(t("norm.table"), [t("norm.sublayer"), t("norm.size"), t("norm.before"), t("norm.after")], rows, { class: "norms" }),
  ];
}

/** The mean and one standard deviation to both sides, on a scale shared by all. */
function interval(means, variances, all) {
  const scale = 1.05 * Math.max(...all.map(({ seen }) => Math.abs(mean(seen.mean)) + Math.sqrt(mean(seen.variance))));
  const [middle, spread] = [mean(means), Math.sqrt(mean(variances))];
  const place = (x) => 50 + (50 * x) / scale;
  return h("span", { class: "interval", "aria-hidden": "true" },
    h("i", { style: `left:${place(middle - spread)}%;width:${place(spread) - place(-spread)}%` }), h("b", { style: `left:${place(middle)}%` }));
}

/** The length of the residual vectors after every sub-layer: a dot a position, a line for the mean. */
function growth(points, stack, peak) {
  const [width, height, left, bottom] = [360, 230, 40, 64];
  const x = (i) => left + ((i + 0.5) * (width - left - 6)) / Math.max(1, points.length);
  const y = (value) => height - bottom - (value / peak) * (height - bottom - 14);
  const ticks = [0, peak / 2, peak].map((value) => [
    svg("line", { x1: left, x2: width, y1: y(value), y2: y(value), class: "grid" }),
    svg("text", { x: left - 6, y: y(value), "text-anchor": "end", "dominant-baseline": "central" }, number(value, 0)),
  ]);
  const every = Math.ceil(points.length / 18);
  const dots = points.flatMap(({ norms }, i) => norms.map((value) => svg("circle", { cx: x(i), cy: y(value), r: 2.2, class: "dot" })));
  const line = svg("polyline", { class: "line", points: points.map(({ norms }, i) => `${x(i)},${y(mean(norms))}`).join(" ") });
  const names = points.map(({ short }, i) => i % every === 0 &&
    svg("text", { transform: `translate(${x(i) + 3},${height - bottom + 10}) rotate(-55)`, "text-anchor": "end" }, short));
  const title = t("norm.growth", { stack: t(`side.${stack}`) });
  return figure(title, svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: `growth ${stack}` },
    ticks.flat(), dots, line, names.filter(Boolean)));
}
