// Beam search: the tree of everything that was considered up to the step that is looked at.
import { figure, h, svg, table, whenShown } from "./dom.js";
import { said, saidApart } from "./softmax.js";
import { state } from "./state.js";
import { number, t } from "./words.js";

const [COLUMN, ROW, TOP] = [132, 26, 34];
export const SHAPES = { kept: "●", finished: "◆", dropped: "×" };

export function beam(trace) {
  const { steps, finished, path } = trace.beam;
  if (!steps.length) return [h("p", { class: "note" }, t("beam.none"))];
  // A search may go on when the best is finished, to be sure: the last step of the writing shows that too.
  const shown = state.step >= trace.length ? steps : steps.slice(0, state.step);
  const places = new Map();
  shown.forEach(({ candidates }, s) => {
    const names = saidApart(candidates);
    candidates.forEach((one, rank) => places.set(one.key, { ...one, step: s, rank, name: names[rank] }));
  });
  return [
    h(
      "p",
      { class: "note" },
      t("beam.settings", {
        beam: trace.decoding.beam,
        penalty: trace.decoding.length_penalty,
        considered: 2 * trace.decoding.beam,
      }),
    ),
    legend(),
    tree(shown, current(steps), places, new Set(path)),
    considered(steps[current(steps)], places, new Set(path)),
    state.step >= trace.length ? results(finished, trace.beam.best, places) : h("p", { class: "note" }, t("beam.later")),
  ];
}

/** The place of the step that is looked at. */
function current(steps) {
  return Math.min(state.step, steps.length) - 1;
}

function legend() {
  return h(
    "div",
    { class: "legend" },
    Object.entries(SHAPES).map(([fate, shape]) =>
      h("span", { class: `fate ${fate}` }, h("i", { "aria-hidden": "true" }, shape), t(`fate.${fate}`)),
    ),
    h("span", {}, h("i", { class: "stroke" }), t("beam.path")),
  );
}

function tree(shown, now, places, path) {
  const tallest = Math.max(...shown.map(({ candidates }) => candidates.length));
  const [width, height] = [COLUMN * (shown.length + 0.62), TOP + ROW * tallest + 6];
  const at = ({ step, rank }) => [COLUMN * (step + 0.62), TOP + ROW * (rank + 0.5)];
  const root = [16, TOP + ROW / 2];
  const line = h("output", { class: "reading", "aria-live": "polite" }, t("beam.hint"));
  const edges = [...places.values()].map((one) => {
    const [x, y] = at(one);
    const parent = places.get(one.parent);
    const [from, level] = parent
      ? [at(parent)[0] + 16 + breadth(shorten(parent.name)), at(parent)[1]]
      : [root[0] + 8, root[1]];
    const class_ = `edge ${one.fate}${path.has(one.key) ? " best" : ""}`;
    return svg("path", { class: class_, d: `M${from},${level} C${from + 24},${level} ${x - 32},${y} ${x - 9},${y}` });
  });
  const nodes = [...places.values()].map((one) =>
    node(one, at(one), one.step === now, () => (line.textContent = reading(one, places))),
  );
  const heads = shown.map((_, s) =>
    svg(
      "text",
      { x: COLUMN * (s + 0.62) - 8, y: 14, class: s === now ? "head now" : "head" },
      t("step.n", { n: s + 1 }),
    ),
  );
  const picture = svg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("beam.title") },
    heads,
    edges,
    svg("circle", { cx: root[0], cy: root[1], r: 6, class: "root" }),
    nodes,
  );
  const scroller = h("div", { class: "tree", tabindex: "0", role: "region", "aria-label": t("beam.title") }, picture);
  whenShown(scroller, () => (scroller.scrollLeft = width));
  return figure(t("beam.title"), scroller, h("div", { class: "under" }, line));
}

function reading(one, places) {
  return t("beam.say", {
    text: soFar(one, places),
    log_prob: number(one.log_prob, 3),
    score: number(one.score, 3),
    fate: t(`fate.${one.fate}`),
    step: one.step + 1,
    rank: one.rank + 1,
  });
}

function node(one, [x, y], now, point) {
  const shape = {
    kept: svg("circle", { cx: x, cy: y, r: 5.5 }),
    finished: svg("path", { d: `M${x},${y - 8} l8,8 l-8,8 l-8,-8 z` }),
    dropped: svg("path", { d: `M${x - 5},${y - 5} l10,10 m0,-10 l-10,10` }),
  }[one.fate];
  return svg(
    "g",
    { class: `node ${one.fate}${now ? " now" : ""}`, onpointerenter: point, onclick: point },
    svg("title", {}, `${one.name} ${number(one.score, 3)} ${t(`fate.${one.fate}`)}`),
    svg("rect", { x: x - 10, y: y - ROW / 2, width: COLUMN - 48, height: ROW, class: "hit" }),
    shape,
    svg("text", { x: x + 12, y, "dominant-baseline": "central" }, shorten(one.name)),
  );
}

/** About how wide a text is: characters of Chinese are as wide as two letters. */
function breadth(text) {
  return Array.from(text).reduce((sum, letter) => sum + (letter > "\u2e80" ? 13 : 8), 0);
}

function shorten(text) {
  let kept = text;
  while (breadth(kept) > 72) kept = Array.from(kept).slice(0, -1).join("");
  return kept === text ? text : `${kept}…`;
}

/** The pieces from the start to a candidate, without the one that ends it. */
function piecesTo(one, places) {
  const pieces = [];
  for (let at = one; at; at = places.get(at.parent)) pieces.unshift(at.piece);
  return pieces.filter((piece) => piece !== "</s>");
}

/** The same, joined as they would be written. */
function soFar(one, places) {
  return piecesTo(one, places).join("").replaceAll("▁", " ").trim();
}

/** Texts of candidates; those that read alike are told in pieces, by which they differ. */
function apart(texts, candidates, places) {
  return texts.map((text, i) =>
    texts.indexOf(text) === texts.lastIndexOf(text) ? text : piecesTo(places.get(candidates[i].key), places).join("·"),
  );
}

function considered(step, places, path) {
  const { candidates } = step;
  const plain = candidates.map((one) => soFar(one, places));
  const texts = apart(plain, candidates, places);
  const names = candidates.map((one) => places.get(one.key).name);
  const rows = candidates.map((one, i) => ({
    class: path.has(one.key) ? `fate ${one.fate} chosen` : `fate ${one.fate}`,
    cells: [
      String(i + 1),
      h("bdi", {}, texts[i]),
      h("b", {}, names[i]),
      number(one.log_prob, 3),
      number(one.score, 3),
      h("span", { class: "tag" }, h("i", { "aria-hidden": "true" }, SHAPES[one.fate]), t(`fate.${one.fate}`)),
    ],
  }));
  const heads = [t("rank"), t("beam.sofar"), t("beam.last"), t("log_prob"), t("score"), t("fate")];
  const inPieces = candidates.some((one, i) => texts[i] !== plain[i] || names[i] !== said(one));
  return [
    table(t("beam.table", { step: step.length }), heads, rows, { class: "fates" }),
    inPieces && h("p", { class: "note" }, t("pieces.alike")),
  ];
}

function results(finished, best, places) {
  const texts = apart(
    finished.map((one) => one.text),
    finished,
    places,
  );
  const rows = finished.map((one, i) => ({
    class: one.key === best ? "chosen" : undefined,
    cells: [String(one.rank), h("bdi", {}, texts[i]), number(one.log_prob, 3), number(one.score, 3)],
  }));
  return table(t("beam.finished"), [t("rank"), t("text"), t("log_prob"), t("score")], rows);
}
