// The paper's equations, as MathML. A small notation: i(x) a letter, sub(x, y), frac(x, y), …
const i = (x) => `<mi>${x}</mi>`;
const word = (x) => `<mi mathvariant="normal">${x}</mi>`;
const o = (x) => `<mo>${x}</mo>`;
const text = (x) => `<mtext>&nbsp;${x}&nbsp;</mtext>`;
const n = (x) => `<mn>${x}</mn>`;
const row = (...x) => `<mrow>${x.join("")}</mrow>`;
const sub = (x, y) => `<msub>${x}${y}</msub>`;
const sup = (x, y) => `<msup>${x}${y}</msup>`;
const frac = (x, y) => `<mfrac>${x}${y}</mfrac>`;
const root = (x) => `<msqrt>${x}</msqrt>`;
const call = (f, ...x) => row(f, o("("), ...x, o(")"));
const large = (x) => `<mo style="font-size:150%">${x}</mo>`;
const sum = (under) => `<munder>${large("∑")}${under}</munder>`;
const d = (x) => sub(i("d"), x === "k" ? i(x) : word(x));
// Drawn large by hand: only few computers have a font with brackets that grow.
const tall = (x) => `<mpadded voffset="-0.22em"><mo stretchy="false" style="font-size:190%">${x}</mo></mpadded>`;
const about = (f, ...x) => row(f, tall("("), ...x, tall(")"));
const space = null; // between two equations: on a phone they stand below one another

const scaled = frac(row(i("Q"), sup(i("K"), i("T"))), root(d("k")));
const equations = {
  source: [
    word("text"),
    o("→"),
    sub(i("x"), n(1)),
    o(","),
    sub(i("x"), n(2)),
    o(","),
    o("…"),
    o(","),
    sub(i("x"), i("n")),
  ],
  embedding: [
    sub(i("e"), i("t")),
    o("="),
    root(d("model")),
    o("·"),
    i("E"),
    o("["),
    sub(i("x"), i("t")),
    o("]"),
    o("+"),
    call(word("PE"), i("t")),
  ],
  positions: [
    call(word("PE"), i("t"), o(","), row(n(2), i("j"))),
    o("="),
    about(word("sin"), frac(i("t"), sup(n(10000), row(n(2), i("j"), o("/"), d("model"))))),
    space,
    call(word("PE"), i("t"), o(","), row(n(2), i("j"), o("+"), n(1))),
    o("="),
    about(word("cos"), frac(i("t"), sup(n(10000), row(n(2), i("j"), o("/"), d("model"))))),
  ],
  encoder: [
    call(word("Attention"), i("Q"), o(","), i("K"), o(","), i("V")),
    o("="),
    about(word("softmax"), scaled),
    i("V"),
  ],
  decoder: [
    about(word("softmax"), scaled, o("+"), i("M")),
    i("V"),
    space,
    sub(i("M"), i("ts")),
    o("="),
    n(0),
    text("if"),
    i("s"),
    o("≤"),
    i("t"),
    o(","),
    text("else"),
    '<mo form="prefix">−</mo>',
    i("∞"),
  ],
  cross: [
    i("Q"),
    o("="),
    i("Y"),
    sup(i("W"), i("Q")),
    space,
    i("K"),
    o("="),
    i("C"),
    sup(i("W"), i("K")),
    space,
    i("V"),
    o("="),
    i("C"),
    sup(i("W"), i("V")),
  ],
  post: [
    i("y"),
    o("="),
    call(word("LayerNorm"), i("x"), o("+"), call(word("Sublayer"), i("x"))),
    space,
    call(word("LayerNorm"), i("x")),
    o("="),
    frac(row(i("x"), o("−"), i("μ")), i("σ")),
    o("⊙"),
    i("γ"),
    o("+"),
    i("β"),
  ],
  pre: [
    i("y"),
    o("="),
    i("x"),
    o("+"),
    call(word("Sublayer"), call(word("LayerNorm"), i("x"))),
    space,
    call(word("LayerNorm"), i("x")),
    o("="),
    frac(row(i("x"), o("−"), i("μ")), i("σ")),
    o("⊙"),
    i("γ"),
    o("+"),
    i("β"),
  ],
  relu: [
    call(word("FFN"), i("x")),
    o("="),
    call(word("max"), n(0), o(","), i("x"), sub(i("W"), n(1)), o("+"), sub(i("b"), n(1))),
    sub(i("W"), n(2)),
    o("+"),
    sub(i("b"), n(2)),
  ],
  swiglu: [
    call(word("FFN"), i("x")),
    o("="),
    o("("),
    call(word("SiLU"), i("x"), sub(i("W"), i("g"))),
    o("⊙"),
    i("x"),
    sub(i("W"), n(1)),
    o(")"),
    sub(i("W"), n(2)),
  ],
  smooth: [
    call(word("FFN"), i("x")),
    o("="),
    call(i("φ"), i("x"), sub(i("W"), n(1)), o("+"), sub(i("b"), n(1))),
    sub(i("W"), n(2)),
    o("+"),
    sub(i("b"), n(2)),
  ],
  memory: [
    i("C"),
    o("="),
    call(word("Encoder"), sub(i("e"), n(1)), o(","), o("…"), o(","), sub(i("e"), i("n"))),
    o("∈"),
    sup(i("ℝ"), row(i("n"), o("×"), d("model"))),
  ],
  softmax: [
    call(i("p"), sub(i("y"), i("t")), o("="), i("v"), o("|"), sub(i("y"), row(o("<"), i("t"))), o(","), i("C")),
    o("="),
    frac(sup(i("e"), sub(i("z"), i("v"))), row(sum(i("u")), sup(i("e"), sub(i("z"), i("u"))))),
    space,
    i("z"),
    o("="),
    sub(i("h"), i("t")),
    sup(i("W"), i("T")),
  ],
  beam: [
    call(i("s"), i("y")),
    o("="),
    frac(
      row(
        sum(i("t")),
        call(
          word("log"),
          i("p"),
          o("("),
          sub(i("y"), i("t")),
          o("|"),
          sub(i("y"), row(o("<"), i("t"))),
          o(","),
          i("C"),
          o(")"),
        ),
      ),
      sup(row(o("("), o("("), n(5), o("+"), i("T"), o(")"), o("/"), n(6), o(")")), i("α")),
    ),
  ],
  teacher: [
    call(i("p"), i("y"), o("|"), i("x")),
    o("="),
    `<munderover>${large("∏")}${row(i("t"), o("="), n(1))}${i("T")}</munderover>`,
    call(i("p"), sub(i("y"), i("t")), o("|"), sub(i("y"), row(o("<"), i("t"))), o(","), i("x")),
  ],
  result: [
    sub(i("a"), i("t")),
    o("="),
    `<munder>${word("argmax")}${i("s")}</munder>`,
    '<mspace width="0.2em"></mspace>',
    frac(n(1), i("H")),
    sum(i("h")),
    `<msubsup>${i("A")}${row(i("t"), i("s"))}${row(o("("), i("h"), o(")"))}</msubsup>`,
  ],
};

/** The equation of a part, as this model has it. */
export function formula(part, model) {
  let name = part;
  if (part === "norm") name = model.norm_order;
  if (part === "feedforward") name = { relu: "relu", swiglu: "swiglu" }[model.activation] ?? "smooth";
  if (part === "positions" && model.positions !== "sinusoidal") return null;
  const holder = document.createElement("div");
  holder.className = "formula";
  const single = [[]];
  for (const term of equations[name]) {
    if (term === space) single.push([]);
    else single.at(-1).push(term);
  }
  holder.innerHTML = single.map((terms) => `<math display="block">${row(...terms)}</math>`).join("");
  return holder;
}
