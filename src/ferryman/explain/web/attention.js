// One kind of attention: choose a head, see its weights as a map or as lines, read them word by word.
import { arcs } from "./arcs.js";
import { darkest, inverted, ramp } from "./colours.js";
import { figure, h, table, toggle } from "./dom.js";
import { heatmap } from "./heatmap.js";
import { numbers } from "./numbers.js";
import { oneRow } from "./one-row.js";
import { entropy, join, largest } from "./maths.js";
import { bound, set, state } from "./state.js";
import { thumbnails } from "./thumbnails.js";
import { KINDS, NotStored, show, words } from "./trace.js";
import { number, t } from "./words.js";

const STRONG = 3; // how many keys the table names

/** What is looked at: the weights of the chosen head, between tokens or between words. */
async function lookUp(trace, kind) {
  bound(`layer.${kind}`, trace.layers(kind));
  if (state[`head.${kind}`] !== "mean") bound(`head.${kind}`, trace.model.heads);
  const [layer, head] = [state[`layer.${kind}`], state[`head.${kind}`]];
  const tokens = await trace.weights(kind, layer, head === "mean" ? head : head - 1);
  const { queries, keys } = KINDS[kind];
  const view = {
    trace,
    kind,
    layer,
    head,
    tokens,
    weights: tokens,
    queries: trace.units[queries],
    keys: trace.units[keys],
  };
  if (state.joined === "yes") {
    view.queries = words(view.queries);
    view.keys = words(view.keys);
    view.weights = join(
      tokens,
      view.queries.map((unit) => unit.places),
      view.keys.map((unit) => unit.places),
    );
  }
  const place = kind === "encoder" ? Math.min(Number(state.row) || 0, tokens.rows - 1) : state.step - 1;
  view.place = place;
  view.focus = view.queries.findIndex((unit) => (unit.places ?? [unit.place]).includes(place));
  return view;
}

export async function attention(trace, kind) {
  const view = await lookUp(trace, kind).catch((error) => {
    if (error instanceof NotStored) return null;
    throw error;
  });
  return [
    h("h3", {}, t("heads.title"), h("small", {}, t("heads.note"))),
    thumbnails(trace, kind),
    ...(view ? await details(view) : [h("p", { class: "note" }, t("row.missing"))]),
  ];
}

async function details(view) {
  const wide = view.keys.length > 22 || view.queries.length > 30;
  return [
    h("h3", { class: "chosen-head" }, heading(view)),
    h(
      "div",
      { class: wide ? "pair wide" : "pair" },
      h("div", {}, switches(), picture(view), legend(view)),
      strongest(view),
    ),
    await oneRow(view),
    numbers({
      matrix: view.weights,
      rows: view.queries.map(named),
      columns: view.keys.map(named),
      title: t("numbers.caption"),
      precision: 4,
    }),
  ];
}

function heading({ layer, head, kind }) {
  return `${t(`kind.${kind}`)} · ${t("layer.n", { n: layer })}, ${headName(head)}`;
}

function headName(head) {
  return head === "mean" ? t("head.mean") : t("head.n", { n: head });
}

function switches() {
  const [map, lines] = [state.view === "map", state.view === "arcs"];
  return h(
    "div",
    { class: "switches" },
    h(
      "div",
      { role: "group", "aria-label": t("view"), class: "segmented" },
      toggle("view-map", map, t("view.map"), () => set({ view: "map" })),
      toggle("view-arcs", lines, t("view.arcs"), () => set({ view: "arcs" })),
    ),
    toggle("joined", state.joined === "yes", t("view.words"), () =>
      set({ joined: state.joined === "yes" ? "no" : "yes" }),
    ),
  );
}

export function named(unit) {
  return `${unit.number ? `${unit.number} ` : ""}${show(unit)}`;
}

function go(view, row) {
  const place = view.queries[row].places?.[0] ?? view.queries[row].place;
  set(view.kind === "encoder" ? { row: place } : { step: place + 1 });
}

function picture(view) {
  const { kind, weights, queries, keys, focus } = view;
  const top = darkest(weights);
  const title = `${t("weights")}: ${heading(view)}`;
  const common = { matrix: weights, focus, title, onfocus: (row) => go(view, row) };
  if (state.view === "arcs") {
    return arcs({ ...common, queries, keys, self: kind !== "cross", tone: KINDS[kind].colour });
  }
  return figure(
    h("span", { class: "axes" }, t(`axes.${kind}`)),
    heatmap({
      ...common,
      id: `heat-${kind}-${state.joined}`,
      rows: queries.map(named),
      columns: keys.map(named),
      paint: ramp(KINDS[kind].colour, top),
      light: (value) => inverted(value, top),
      digits: (value) => (value >= 0.005 ? number(value).replace(/^0/, "") : ""),
      dim: kind === "encoder" ? undefined : (row) => row > focus,
      hatched: KINDS[kind].causal ? (row, column) => column > row : undefined,
      say: (row, column, value) =>
        KINDS[kind].causal && column > row
          ? t("say.masked", { query: named(queries[row]), key: named(keys[column]) })
          : t("say.weight", { query: named(queries[row]), key: named(keys[column]), weight: number(value, 3) }),
    }),
  );
}

function legend({ kind, weights }) {
  const top = darkest(weights);
  const shade = ramp(KINDS[kind].colour, top);
  const steps = [0, 0.05, 0.25, 0.5, 1]
    .map((part) => part * top)
    .map((value) => h("span", {}, h("i", { class: "swatch", style: `background:${shade(value)}` }), number(value)));
  const mask = KINDS[kind].causal && h("span", {}, h("i", { class: "swatch masked" }), t("legend.masked"));
  const later = kind !== "encoder" && h("span", { class: "note" }, t("legend.later"));
  return h("div", { class: "legend" }, h("span", {}, t("weight")), steps, mask, later);
}

/** Who attends to what: the three strongest keys of every query. */
function strongest(view) {
  const { kind, weights, queries, keys, focus } = view;
  const rows = queries.map((unit, q) => {
    const row = weights.row(q);
    const most = largest(row, STRONG).filter((key) => row[key] >= 0.005);
    const named = most.map((key) =>
      h(
        "span",
        { class: "strong", style: `--share:${row[key]}` },
        h("bdi", {}, show(keys[key])),
        h("b", {}, number(row[key])),
      ),
    );
    const bits = entropy(row);
    return {
      "aria-current": q === focus ? "true" : undefined,
      class: kind !== "encoder" && q > focus ? "later" : undefined,
      onclick: () => go(view, q),
      cells: [
        h("span", { class: "numbered" }, h("i", {}, unit.number || "·"), h("bdi", {}, show(unit))),
        named,
        number(bits),
      ],
    };
  });
  const heads = [t(`query.${kind}`), t("attends.most"), h("abbr", { title: t("entropy.note") }, t("bits"))];
  return table(t("strongest", { layer: t("layer.n", { n: view.layer }), head: headName(view.head) }), heads, rows, {
    class: "strongest",
    style: `--tone:var(${KINDS[kind].colour})`,
  });
}
