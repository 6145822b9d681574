// What a sentence is without positions: put its words in another order and see whether the encoder's input can tell.
import { inverted, ramp } from "./colours.js";
import { figure, h, toggle } from "./dom.js";
import { isLive, reason, request } from "./live.js";
import { Matrix, distance, dot } from "./maths.js";
import { pictured } from "./numbers.js";
import { show, words } from "./trace.js";
import { number, t } from "./words.js";

const SAME = 0.02; // of a vector's length: as near as 16-bit numbers tell

export async function shuffling(trace) {
  const [tokens, sum] = await Promise.all(
    ["tokens", "sum"].map((part) =>
      trace.has(`source_embedding.${part}`) ? trace.matrix(`source_embedding.${part}`) : null,
    ),
  );
  if (!tokens || !sum) return h("p", { class: "note" }, t("row.missing"));
  const encoding = await trace.matrix("source_embedding.positions");
  const box = h("section", { class: "shuffle" });
  let sentence = swapped(words(trace.units.source));
  let removed = false;
  const render = () =>
    box.replaceChildren(
      ...experiment(
        trace,
        { tokens, sum, encoding, order: sentence.flatMap((word) => word.places), removed },
        {
          shuffle: () => {
            sentence = shuffled(sentence);
            render();
            box.querySelector("#shuffle").focus();
          },
          remove: () => {
            removed = !removed;
            render();
            box.querySelector("#without").focus();
          },
        },
      ),
    );
  render();
  return box;
}

/** Exchange the first and the last word; control tokens stay. */
function swapped(sentence) {
  const movable = sentence.flatMap((word, i) => (word.control ? [] : [i]));
  return exchange(sentence, movable[0], movable.at(-1));
}

function shuffled(sentence) {
  const movable = sentence.flatMap((word, i) => (word.control ? [] : [i]));
  return movable.reduce(
    (all, place, i) => exchange(all, place, movable[i + Math.floor(Math.random() * (movable.length - i))]),
    sentence,
  );
}

function exchange(list, a, b) {
  return list.map((one, i) => (i === a ? list[b] : i === b ? list[a] : one));
}

/** How near two vectors are, from 1 (the same) to 0; apart is the distance. */
function nearness(apart) {
  return apart < SAME ? 1 : Math.max(0, 0.55 - apart / 2);
}

/** How far every vector of the new order is from every one of the old, in lengths of the longest. */
function compare({ tokens, sum, encoding, order, removed }) {
  const before = removed ? tokens : sum;
  const moved = reorder(tokens, order);
  const after = removed ? moved : Matrix.of(moved.rows, moved.columns, (r, c) => moved.at(r, c) + encoding.at(r, c));
  const lengths = order.map((_, i) => Math.sqrt(dot(before.row(i), before.row(i))));
  const size = Math.max(...lengths) || 1;
  return Matrix.of(order.length, order.length, (r, c) => distance(after.row(r), before.row(c)) / size);
}

function experiment(trace, setting, act) {
  const { order, removed } = setting;
  const units = trace.units.source;
  const apart = compare(setting);
  const twins = units.filter((_, r) => apart.row(r).some((value) => value < SAME)).length;
  const shade = ramp("--source");
  const say = (r, c) => t("say.apart", { a: show(units[order[r]]), b: show(units[c]), value: number(apart.at(r, c)) });
  return [
    h("h3", {}, t("shuffle.title")),
    h("p", {}, t("shuffle.note")),
    h(
      "div",
      { class: "switches" },
      h("button", { id: "shuffle", type: "button", class: "toggle", onclick: act.shuffle }, t("shuffle.act")),
      toggle("without", removed, t("shuffle.without"), act.remove),
    ),
    h(
      "p",
      { class: "shuffled", "aria-live": "polite" },
      order.map((i) => h("bdi", {}, show(units[i]))),
    ),
    isLive() ? translated(order.filter((i) => !units[i].control).map((i) => units[i].piece)) : "",
    h(
      "p",
      { class: "verdict", role: "status" },
      t(removed ? "shuffle.lost" : "shuffle.seen", { twins, all: units.length }),
    ),
    figure(
      t("shuffle.map"),
      pictured({
        id: "shuffle-map",
        matrix: apart,
        rows: order.map((i) => show(units[i])),
        columns: units.map(show),
        title: t("shuffle.map"),
        paint: (value) => shade(nearness(value)),
        light: (value) => inverted(nearness(value)),
        digits: (value) => (value < SAME ? "=" : ""),
        say,
      }),
    ),
  ];
}

/** What the model itself makes of the words in this order; asked of the server. */
function translated(pieces) {
  const text = pieces.join("").replaceAll("▁", " ").trim();
  const answer = h("output", { class: "told" });
  const ask = async () => {
    answer.textContent = t("live.working");
    answer.textContent = await request(text).then(
      (record) => record.target.text,
      (error) => reason(error)[0],
    );
  };
  return h(
    "p",
    {},
    h("button", { id: "ask-shuffled", type: "button", class: "quiet", onclick: ask }, t("shuffle.ask")),
    " ",
    answer,
  );
}

/** Move the rows of a matrix: row i of the result is row order[i]. */
function reorder(matrix, order) {
  return Matrix.of(matrix.rows, matrix.columns, (r, c) => matrix.at(order[r], c));
}
