// Positions: the sinusoids, how alike near positions are, and what a sentence is without them.
import { diverging, ramp } from "./colours.js";
import { figure, h, toggle } from "./dom.js";
import { reorder, signLegend, strip } from "./embedding.js";
import { heatmap } from "./heatmap.js";
import { Matrix, distance, similarity } from "./maths.js";
import { show } from "./trace.js";
import { number, t } from "./words.js";

const SAME = 0.02; // of a vector's length: as near as 16-bit numbers tell

export async function positions(trace) {
  const name = "source_embedding.positions";
  const encoding = await trace.matrix(name);
  const alike = similarity(encoding, false);
  const top = alike.peak;
  const places = trace.units.source.map((unit) => String(unit.place));
  return [
    strip(trace, name, encoding, trace.units.source, t("positions.strip")),
    signLegend(),
    h("div", { class: encoding.rows > 22 ? "pair wide" : "pair" },
      figure(t("positions.alike"), heatmap({
        id: "alike", matrix: alike, rows: places, columns: places, title: t("positions.alike"), paint: diverging(top),
        say: (a, b, value) => t("say.alike", { a, b, value: number(value, 1) }),
      })),
      waves(encoding)),
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
    const space = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    space.setAttribute("viewBox", `-4 0 ${width + 8} ${height}`);
    space.setAttribute("role", "img");
    space.setAttribute("aria-label", t("positions.wave", { feature: feature + 1 }));
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("points", Array.from({ length: encoding.rows }, (_, row) => at(row).join(",")).join(" "));
    space.append(line, ...Array.from({ length: encoding.rows }, (_, row) => {
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      dot.setAttribute("cx", at(row)[0]);
      dot.setAttribute("cy", at(row)[1]);
      dot.setAttribute("r", "3");
      return dot;
    }));
    return figure(t("positions.wave", { feature: feature + 1 }), space);
  });
  return h("div", { class: "waves" }, curves);
}

/** The experiment: put the words in another order; can the encoder's input tell? */
async function shuffling(trace) {
  const [tokens, sum] = await Promise.all(["tokens", "sum"].map((part) => trace.has(`source_embedding.${part}`) ? trace.matrix(`source_embedding.${part}`) : null));
  if (!tokens || !sum) return h("p", { class: "note" }, t("row.missing"));
  const encoding = await trace.matrix("source_embedding.positions");
  const box = h("section", { class: "shuffle" });
  const words = trace.units.source.filter((unit) => !unit.control).map((unit) => unit.place);
  let order = swapped(tokens.rows, words[0], words.at(-2) ?? words[0]);
  let removed = false;
  const render = () => box.replaceChildren(...experiment(trace, { tokens, sum, encoding, order, removed }, {
    shuffle: () => {
      order = shuffled(order, words);
      render();
      box.querySelector("#shuffle").focus();
    },
    remove: () => {
      removed = !removed;
      render();
      box.querySelector("#without").focus();
    },
  }));
  render();
  return box;
}

function swapped(length, a, b) {
  const order = Array.from({ length }, (_, i) => i);
  [order[a], order[b]] = [order[b], order[a]];
  return order;
}

function shuffled(order, words) {
  const next = [...order];
  for (let i = words.length - 1; i > 0; i -= 1) {
    const j = Math.floor(Math.random() * (i + 1));
    [next[words[i]], next[words[j]]] = [next[words[j]], next[words[i]]];
  }
  return next;
}

function experiment(trace, { tokens, sum, encoding, order, removed }, act) {
  const units = trace.units.source;
  const before = removed ? tokens : sum;
  const moved = reorder(tokens, order);
  const after = removed ? moved : Matrix.of(moved.rows, moved.columns, (r, c) => moved.at(r, c) + encoding.at(r, c));
  const size = Math.max(...units.map((_, i) => Math.sqrt(before.row(i).reduce((all, x) => all + x * x, 0)))) || 1;
  const apart = Matrix.of(units.length, units.length, (r, c) => distance(after.row(r), before.row(c)) / size);
  const twins = units.filter((_, r) => units.some((__, c) => apart.at(r, c) < SAME)).length;
  const near = Matrix.of(apart.rows, apart.columns, (r, c) => (apart.at(r, c) < SAME ? 1 : Math.max(0, 0.55 - apart.at(r, c) / 2)));
  const say = (r, c) => t("say.apart", { a: show(units[order[r]]), b: show(units[c]), value: number(apart.at(r, c)) });
  return [
    h("h3", {}, t("shuffle.title")),
    h("p", {}, t("shuffle.note")),
    h("div", { class: "switches" },
      h("button", { id: "shuffle", type: "button", class: "toggle", onclick: act.shuffle }, t("shuffle.act")),
      toggle("without", removed, t("shuffle.without"), act.remove)),
    h("p", { class: "shuffled", "aria-live": "polite" }, order.map((i) => h("bdi", {}, show(units[i])))),
    h("p", { class: "verdict", role: "status" }, t(removed ? "shuffle.lost" : "shuffle.seen", { twins, all: units.length })),
    figure(t("shuffle.map"), heatmap({
      id: "shuffle-map", matrix: near, rows: order.map((i) => show(units[i])), columns: units.map(show), title: t("shuffle.map"),
      paint: ramp("--source"), say, digits: (value) => (value === 1 ? "=" : ""),
    })),
  ];
}
