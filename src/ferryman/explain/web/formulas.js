// The paper's equations, as MathML. A small notation: i(x) a letter, sub(x, y), frac(x, y), …
const i = (x) => `<mi>${x}</mi>`;
const word = (x) => `<mi mathvariant="normal">${x}</mi>`;
const o = (x) => `<mo>${x}</mo>`;
const n = (x) => `<mn>${x}</mn>`;
const row = (...x) => `<mrow>${x.join("")}</mrow>`;
const sub = (x, y) => `<msub>${x}${y}</msub>`;
const sup = (x, y) => `<msup>${x}${y}</msup>`;
const frac = (x, y) => `<mfrac>${x}${y}</mfrac>`;
const root = (x) => `<msqrt>${x}</msqrt>`;
const call = (f, ...x) => row(f, o("("), ...x, o(")"));
const sum = (under) => `<munder>${o("∑")}${under}</munder>`;
const d = (x) => sub(i("d"), word(x));
const space = '<mspace width="1.4em"></mspace>';

const scaled = frac(row(i("Q"), sup(i("K"), i("T"))), root(d("k")));
const equations = {
  source: [word("text"), o("→"), sub(i("x"), n(1)), o(","), sub(i("x"), n(2)), o(","), o("…"), o(","), sub(i("x"), i("n"))],
  embedding: [sub(i("e"), i("t")), o("="), root(d("model")), o("·"), i("E"), o("["), sub(i("x"), i("t")), o("]"), o("+"), call(word("PE"), i("t"))],
  positions: [
    call(word("PE"), i("t"), o(","), row(n(2), i("j"))), o("="), call(word("sin"), frac(i("t"), sup(n(10000), row(n(2), i("j"), o("/"), d("model"))))), space,
    call(word("PE"), i("t"), o(","), row(n(2), i("j"), o("+"), n(1))), o("="), call(word("cos"), frac(i("t"), sup(n(10000), row(n(2), i("j"), o("/"), d("model"))))),
  ],
  encoder: [call(word("Attention"), i("Q"), o(","), i("K"), o(","), i("V")), o("="), call(word("softmax"), scaled), i("V")],
  decoder: [call(word("softmax"), scaled, o("+"), i("M")), i("V"), space, sub(i("M"), i("ts")), o("="), n(0), word(" if "), i("s"), o("≤"), i("t"), o(","), word(" else "), o("−"), i("∞")],
  cross: [i("Q"), o("="), i("Y"), sup(i("W"), i("Q")), o(","), space, i("K"), o("="), i("C"), sup(i("W"), i("K")), o(","), space, i("V"), o("="), i("C"), sup(i("W"), i("V"))],
  post: [i("y"), o("="), call(word("LayerNorm"), i("x"), o("+"), call(word("Sublayer"), i("x"))), space, call(word("LayerNorm"), i("x")), o("="), frac(row(i("x"), o("−"), i("μ")), i("σ")), o("⊙"), i("γ"), o("+"), i("β")],
  pre: [i("y"), o("="), i("x"), o("+"), call(word("Sublayer"), call(word("LayerNorm"), i("x"))), space, call(word("LayerNorm"), i("x")), o("="), frac(row(i("x"), o("−"), i("μ")), i("σ")), o("⊙"), i("γ"), o("+"), i("β")],
  relu: [call(word("FFN"), i("x")), o("="), call(word("max"), n(0), o(","), i("x"), sub(i("W"), n(1)), o("+"), sub(i("b"), n(1))), sub(i("W"), n(2)), o("+"), sub(i("b"), n(2))],
  swiglu: [call(word("FFN"), i("x")), o("="), o("("), call(word("SiLU"), i("x"), sub(i("W"), i("g"))), o("⊙"), i("x"), sub(i("W"), n(1)), o(")"), sub(i("W"), n(2))],
  smooth: [call(word("FFN"), i("x")), o("="), call(i("φ"), i("x"), sub(i("W"), n(1)), o("+"), sub(i("b"), n(1))), sub(i("W"), n(2)), o("+"), sub(i("b"), n(2))],
  memory: [i("C"), o("="), call(word("Encoder"), sub(i("e"), n(1)), o(","), o("…"), o(","), sub(i("e"), i("n"))), o("∈"), sup(i("ℝ"), row(i("n"), o("×"), d("model")))],
  softmax: [call(i("p"), sub(i("y"), i("t")), o("="), i("v"), o("|"), sub(i("y"), row(o("<"), i("t"))), o(","), i("C")), o("="), frac(sup(i("e"), sub(i("z"), i("v"))), row(sum(i("u")), sup(i("e"), sub(i("z"), i("u"))))), o(","), space, i("z"), o("="), sub(i("h"), i("t")), sup(i("W"), i("T"))],
  beam: [call(i("s"), i("y")), o("="), frac(row(sum(i("t")), call(word("log"), i("p"), o("("), sub(i("y"), i("t")), o("|"), sub(i("y"), row(o("<"), i("t"))), o(","), i("C"), o(")"))), sup(row(o("("), o("("), n(5), o("+"), i("T"), o(")"), o("/"), n(6), o(")")), i("α")))],
  teacher: [call(i("p"), i("y"), o("|"), i("x")), o("="), `<munderover>${o("∏")}${row(i("t"), o("="), n(1))}${i("T")}</munderover>`, call(i("p"), sub(i("y"), i("t")), o("|"), sub(i("y"), row(o("<"), i("t"))), o(","), i("x"))],
  result: [sub(i("a"), i("t")), o("="), `<munder>${word("argmax")}${i("s")}</munder>`, frac(n(1), row(i("L"), i("h"))), sum(row(i("l"), o(","), i("h"))), sub(sup(i("A"), row(o("("), i("l"), o(","), i("h"), o(")"))), row(i("t"), i("s")))],
};

/** The equation of a part, as this model has it. */
export function formula(part, model) {
  let name = part;
  if (part === "norm") name = model.norm_order;
  if (part === "feedforward") name = { relu: "relu", swiglu: "swiglu" }[model.activation] ?? "smooth";
  if (part === "positions" && model.positions !== "sinusoidal") return null;
  const holder = document.createElement("div");
  holder.className = "formula";
  holder.innerHTML = `<math display="block">${row(...equations[name])}</math>`;
  return holder;
}
