// The parts of the machine in the order of a walk through it, and what shows each.
import { attention } from "./attention.js";
import { beam } from "./beam.js";
import { embedding } from "./embedding.js";
import { feedForward } from "./feed-forward.js";
import { memory } from "./memory.js";
import { norm } from "./norm.js";
import { positions } from "./positions.js";
import { nextToken } from "./softmax.js";
import { teacher } from "./teacher.js";
import { result, source } from "./tokens.js";

export const PARTS = {
  source,
  embedding,
  positions,
  encoder: (trace) => attention(trace, "encoder"),
  norm,
  feedforward: feedForward,
  memory,
  decoder: (trace) => attention(trace, "decoder"),
  cross: (trace) => attention(trace, "cross"),
  softmax: nextToken,
  beam,
  teacher,
  result,
};
// When each is computed, where that can be said in a word.
export const WHEN = {
  source: "once",
  positions: "once",
  encoder: "once",
  memory: "once",
  decoder: "steps",
  cross: "steps",
  softmax: "steps",
  beam: "steps",
  teacher: "steps",
  result: "end",
};
export const ORDER = Object.keys(PARTS);
