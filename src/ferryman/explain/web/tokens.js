// Where it begins: text in pieces, a number for each.
import { h, svg, table } from "./dom.js";
import { show } from "./trace.js";
import { count, number, percent, t } from "./words.js";

export function source(trace) {
  const { tokens, text } = trace.source;
  return [
    h("p", { class: "quote", lang: trace.model.source_language, dir: "auto" }, text),
    pieces(trace.units.source, "source"),
    h(
      "p",
      { class: "note" },
      t("source.count", {
        tokens: tokens.length,
        words: trace.source.words.length,
        vocab: count(trace.model.source_vocab),
      }),
    ),
    trace.target.flags.includes("protected") && h("p", { class: "note" }, remarks(["protected"])),
    listing(t("source.table"), trace.units.source),
  ];
}

function remarks(flags) {
  return flags.length ? t("result.flags", { flags: flags.map((flag) => t(`flag.${flag}`)).join("; ") }) : "";
}

function pieces(units, side) {
  const chips = units.map((unit) =>
    h(
      "li",
      { class: unit.control ? "piece control" : "piece" },
      h("small", {}, unit.number || "·"),
      h("bdi", {}, show(unit)),
      h("code", {}, unit.id),
    ),
  );
  return h("ol", { class: `pieces ${side}` }, chips);
}

function listing(caption, units) {
  const rows = units.map((unit) => [String(unit.place), unit.number || "–", h("bdi", {}, unit.piece), String(unit.id)]);
  return table(caption, [t("position"), t("word"), t("piece"), t("id")], rows);
}

/** Where it ends: the words said, how sure each was, and which source words they answer to. */
export function result(trace) {
  const { target, source: from, alignment } = trace;
  const joined = (units, word) => word.map((i) => units[i]?.text ?? "").join("");
  const [left, right] = [from.words, target.words].map((words, side) =>
    words.map((word) => joined(side ? target.tokens : from.tokens, word)),
  );
  const rows = target.words.map((word, w) => {
    const sources = alignment.links.filter(([, to]) => to === w).map(([s]) => left[s]);
    const log = word.reduce((sum, i) => sum + target.token_log_probs[i], 0);
    return [
      h("span", { class: "numbered" }, h("i", {}, w + 1), h("bdi", {}, right[w])),
      sources.join(" · ") || "–",
      percent(Math.exp(log)),
    ];
  });
  const error =
    alignment.aer === null || alignment.aer === undefined ? "" : t("result.aer", { aer: number(alignment.aer, 3) });
  return [
    h("p", { class: "quote target", lang: trace.model.target_language, dir: "auto" }, target.text),
    h(
      "p",
      { class: "note" },
      t("result.score", {
        log_prob: number(target.log_prob, 3),
        score: number(target.score, 3),
        tokens: target.tokens.length,
      }),
      " ",
      remarks(target.flags),
    ),
    links(left, right, alignment.links),
    h("p", { class: "note" }, t("result.from", { layer: alignment.layer + 1 }), " ", error),
    table(t("result.table"), [t("query.cross"), t("result.source"), t("probability")], rows),
  ];
}

/** Two lines of words with a line for each link; drawn once the words have their places. */
function links(left, right, pairs) {
  const line = (words, side) =>
    h(
      "div",
      { class: `line ${side}` },
      words.map((word, i) => h("bdi", {}, h("small", {}, i + 1), word)),
    );
  const [top, bottom] = [line(left, "source"), line(right, "target")];
  const space = svg("svg", { "aria-hidden": "true" });
  const box = h("div", { class: "links" }, top, space, bottom);
  const draw = () => {
    const [area, gap] = [box.getBoundingClientRect(), space.getBoundingClientRect()];
    const middle = (element) => {
      const one = element.getBoundingClientRect();
      return [one.left + one.width / 2 - area.left, one];
    };
    space.replaceChildren(
      ...pairs.map(([s, w]) => {
        const [[x1, from], [x2, to]] = [middle(top.children[s]), middle(bottom.children[w])];
        const [y1, y2] = [from.bottom - gap.top, to.top - gap.top];
        return svg("path", { d: `M${x1},${y1} C${x1},${y1 + 24} ${x2},${y2 - 24} ${x2},${y2}` });
      }),
    );
  };
  new ResizeObserver(draw).observe(box);
  return box;
}
