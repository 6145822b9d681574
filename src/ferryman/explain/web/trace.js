// A trace: what was observed in one translation. Tensors are unpacked when a part of the page first needs them.
import { Matrix, mean } from "./maths.js";
import { t } from "./words.js";

export const KINDS = {
  encoder: {
    scope: "encoder",
    sublayer: "self_attention",
    queries: "source",
    keys: "source",
    causal: false,
    colour: "--source",
  },
  decoder: {
    scope: "decoder",
    sublayer: "self_attention",
    queries: "inputs",
    keys: "inputs",
    causal: true,
    colour: "--target",
  },
  cross: {
    scope: "decoder",
    sublayer: "cross_attention",
    queries: "target",
    keys: "source",
    causal: false,
    colour: "--meet",
  },
};

function halves() {
  const table = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits += 1) {
    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    if (exponent === 0) table[bits] = sign * fraction * 2 ** -24;
    else if (exponent === 31) table[bits] = fraction ? NaN : sign * Infinity;
    else table[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return table;
}
let halfTable = null;

async function unpack({ data, dtype }) {
  const text = atob(data);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = await new Response(stream).arrayBuffer();
  if (dtype === "float32") return new Float32Array(bytes);
  const words = new Uint16Array(bytes);
  if (dtype === "unorm16") return Float32Array.from(words, (x) => x / 65535);
  halfTable ??= halves();
  return Float32Array.from(words, (x) => halfTable[x]);
}

/** A tensor that was left out of the trace, to keep it small. */
export class NotStored extends Error {}

export class Trace {
  constructor(record) {
    Object.assign(this, record);
    this.unpacked = new Map();
    const said = this.target.words;
    this.units = {
      source: label(this.source.tokens, this.source.words),
      target: label(this.target.tokens, said),
      inputs: label(
        this.target.inputs,
        said.map((word) => word.map((i) => i + 1)),
        true,
      ),
    };
  }

  get length() {
    return this.steps.length;
  }

  layers(kind) {
    return this.model[kind === "encoder" ? "encoder_layers" : "decoder_layers"];
  }

  has(name) {
    return name in this.tensors;
  }

  summary(name) {
    return this.tensors[name]?.summary ?? null;
  }

  /** One head's part of a tensor, or all of one that has no heads, as a matrix. */
  async matrix(name, head = 0) {
    if (!this.has(name)) throw new NotStored(name);
    if (!this.unpacked.has(name)) this.unpacked.set(name, unpack(this.tensors[name]));
    const data = await this.unpacked.get(name);
    const [rows, columns] = this.tensors[name].shape.slice(-2);
    return new Matrix(rows, columns, data.subarray(head * rows * columns, (head + 1) * rows * columns));
  }

  /** The weights of one head (from 0), or the mean of all. */
  async weights(kind, layer, head) {
    const name = `${scope(kind, layer)}.weights`;
    if (head !== "mean") return this.matrix(name, head);
    const all = await Promise.all(Array.from({ length: this.model.heads }, (_, i) => this.matrix(name, i)));
    return Matrix.of(all[0].rows, all[0].columns, (r, c) => mean(all.map((one) => one.at(r, c))));
  }
}

export function scope(kind, layer) {
  return `${KINDS[kind].scope}.${layer - 1}.${KINDS[kind].sublayer}`;
}

/** Name tokens for a reader: the number of their word (a, b, … where it has several) and their text. */
function label(tokens, words, begins = false) {
  const units = tokens.map((token, place) => ({ ...token, place, number: "", control: true }));
  words.forEach((word, number) => {
    word.forEach((place, part) => {
      if (!units[place]) return;
      const suffix = word.length > 1 ? letters(part) : "";
      Object.assign(units[place], { number: `${number + 1}${suffix}`, word: number, control: false });
    });
  });
  if (begins && units[0]) units[0].begins = true;
  return units;
}

function letters(part) {
  return part < 26 ? String.fromCharCode(97 + part) : `.${part + 1}`;
}

/** What to call a token on the page. */
export function show(unit) {
  if (unit.begins) return t("start");
  if (unit.control) return unit.piece === "</s>" ? t("end") : unit.piece;
  return unit.text === "" ? "␣" : unit.text;
}

/** Units joined to words, each with the places of its tokens; control tokens stay by themselves. */
export function words(units) {
  const joined = [];
  for (const unit of units) {
    const last = joined.at(-1);
    if (!unit.control && last && !last.control && last.word === unit.word) {
      last.places.push(unit.place);
      last.text += unit.text;
    } else joined.push({ ...unit, number: unit.control ? "" : String(unit.word + 1), places: [unit.place] });
  }
  return joined;
}
