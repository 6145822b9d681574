// Attention as lines between words: between two columns, or bows beside one.
import { h, svg, whenShown } from "./dom.js";
import { show } from "./trace.js";
import { number, t } from "./words.js";

const FAINT = 0.04; // lines below this are not drawn

/** options: matrix, queries and keys (units), self (both are the same words), focus (a query), tone, onfocus, title. */
export function arcs(options) {
  const box = h("div", { class: "arcs", style: `--tone:var(${options.tone})` });
  const line = h("output", { class: "reading", "aria-live": "polite" }, t("arcs.hint"));
  let shown = options.focus;
  const paint = (query) => {
    shown = query;
    box.replaceChildren(picture(options, shown, point));
  };
  const point = (query, side) => {
    if (side === "keys" || query === shown) return;
    paint(query);
    line.textContent = reading(options, query);
  };
  box.addEventListener("pointerleave", () => {
    if (shown !== options.focus) paint(options.focus);
  });
  paint(options.focus);
  whenShown(
    box,
    () => (box.scrollTop = (box.scrollHeight * options.focus) / options.queries.length - box.clientHeight / 2),
  );
  return h("div", {}, box, h("div", { class: "under" }, line));
}

function reading({ matrix, queries, keys }, query) {
  const row = Array.from(matrix.row(query), (weight, key) => [weight, key]).sort((a, b) => b[0] - a[0]);
  const most = row.slice(0, 3).map(([weight, key]) => `${show(keys[key])} ${number(weight)}`);
  return `${show(queries[query])} → ${most.join(" · ")}`;
}

function picture(options, focus, point) {
  const { matrix, queries, keys, self, title } = options;
  const [pitch, count] = [queries.length > 40 ? 17 : 26, Math.max(queries.length, keys.length)];
  const width = self ? 340 : 420;
  const [left, right] = self ? [118, 118] : [140, 280];
  const y = (place, among) => (place + 0.5) * pitch + ((count - among.length) * pitch) / 2;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${count * pitch + 4}`,
    role: "img",
    "aria-label": title,
    style: `max-width:${width * (pitch > 20 ? 1.15 : 0.95)}px`,
  });
  const most = Math.max(...matrix.row(focus));
  const path = (q, k) => {
    const [from, to] = [y(k, keys), y(q, queries)];
    if (!self) return `M${left + 8},${from} C${left + 80},${from} ${right - 80},${to} ${right - 8},${to}`;
    if (q === k) return `M${left + 8},${from - 4} c34,-8 34,16 0,8`;
    const reach = left + 30 + Math.min(170, Math.abs(from - to) * 0.75);
    return `M${left + 8},${from} C${reach},${from} ${reach},${to} ${left + 8},${to}`;
  };
  for (let q = 0; q < queries.length; q += 1) {
    for (let k = 0; k < keys.length; k += 1) {
      const weight = matrix.at(q, k);
      if (weight < FAINT || (focus !== q && queries.length > 40)) continue;
      const chosen = focus === q;
      picture.append(
        svg("path", {
          d: path(q, k),
          class: chosen ? "arc chosen" : "arc",
          "stroke-width": 0.8 + weight * 7,
          "stroke-opacity": chosen ? 0.2 + (0.8 * weight) / most : 0.05 + 0.2 * weight,
        }),
      );
    }
  }
  const words = (units, x, anchor, side) =>
    units.map((unit, i) => {
      const weight = side === "keys" || self ? matrix.at(focus, i) : 0;
      const chosen = side === "queries" ? i === focus : weight >= FAINT;
      return svg(
        "g",
        {
          class: chosen ? "word chosen" : "word",
          onpointerenter: () => point(i, side),
          onclick: () => side === "queries" && options.onfocus(i),
        },
        svg("rect", {
          x: anchor === "end" ? x - 132 : x - 4,
          y: y(i, units) - pitch / 2,
          width: 136,
          height: pitch,
          class: "hit",
        }),
        svg(
          "text",
          { x, y: y(i, units), "text-anchor": anchor, "dominant-baseline": "central" },
          naming(unit, weight, side, self),
        ),
      );
    });
  picture.append(
    ...words(keys, left, "end", self ? "queries" : "keys"),
    ...(self ? [] : words(queries, right, "start", "queries")),
  );
  return picture;
}

function naming(unit, weight, side, self) {
  const name = `${unit.number ? `${unit.number} ` : ""}${show(unit)}`;
  return weight >= FAINT && (self || side === "keys") ? `${name}  ${number(weight)}` : name;
}
