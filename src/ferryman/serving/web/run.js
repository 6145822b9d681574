// Translate what is in the box: soon after it changes, sentence by sentence; what was running for an older text stops.
import { Refused, ask, events } from "./client.js";
import { change, isBlank, page, shown } from "./store.js";

const PAUSE_MS = 350; // after the last key
const TRIES = 5;
const OTHERS = 3;
const EMPTY = { translated: null, sentences: [], whole: null, chosen: 0 };
let controller = new AbortController();
let timer = 0;

/** Something changed: stop what runs, and start anew in a moment, or `now`. */
export function restart(now = false) {
  halt();
  if (isBlank()) change(EMPTY);
  else if (now) translate(TRIES);
  else timer = setTimeout(() => translate(TRIES), PAUSE_MS);
}

/** Stop what runs or waits. */
export function halt() {
  clearTimeout(timer);
  controller.abort();
  controller = new AbortController();
  change({ running: false, asking: false, error: null, waiting: 0 });
}

async function translate(tries) {
  halt();
  const { signal } = controller;
  const size = page.text.length > page.offer.limit ? [...page.text].length : 0;
  if (size > page.offer.limit) {
    change({ error: new Refused(413, { code: "long" }) });
    return;
  }
  change({ running: true });
  try {
    await read(page.text, signal);
    change({ running: false });
  } catch (error) {
    if (signal.aborted) return;
    refused(error, () => translate(tries - 1), tries > 1);
  }
}

/** Read the sentences of a text as they come. */
async function read(text, signal) {
  const { source, target } = page;
  const json = { text, source, target, alignment: true, stream: true };
  const response = await ask("./v1/translate", { json, signal });
  let [sentences, whole, at] = [[], null, 0];
  for await (const { name, data } of events(response)) {
    if (signal.aborted) return;
    if (name === "error") throw new Refused(500, { said: data.error, code: data.code });
    if (name === "done") whole = data;
    else {
      const start = text.indexOf(data.source, at); // below 0: the server reads the text differently
      if (start >= 0) at = start + data.source.length;
      sentences = [...sentences, sentence(start, data)];
      change({ translated: text, sentences, chosen: Math.min(page.chosen, sentences.length - 1), whole: null });
    }
  }
  if (!whole) throw new Refused(0);
  // By way of two models, or none, it comes as a whole; what is aligned then is not this text.
  if (!sentences.length) sentences = [sentence(0, { ...whole, source: text, alignment: undefined })];
  change({ translated: text, sentences, whole, chosen: Math.min(page.chosen, sentences.length - 1) });
}

function sentence(start, { source, text, ...more }) {
  const [space] = /^\s*/.exec(text);
  return { start, source, space, own: { ...more, text: text.slice(space.length) }, others: null, picked: 0 };
}

/** Tell that it did not work; if it may work later, try then. */
function refused(error, again, mayTry) {
  if (!(error instanceof Refused)) throw error;
  change({ running: false, asking: false, error, waiting: mayTry ? error.seconds : 0 });
  if (error.code === "key") change({ keyNeeded: true });
  if (page.waiting) tick(again);
}

function tick(again) {
  timer = setTimeout(() => {
    change({ waiting: page.waiting - 1 });
    if (page.waiting > 0) tick(again);
    else again();
  }, 1000);
}

/** Ask for other translations of the chosen sentence. */
export async function askOthers() {
  const one = page.sentences[page.chosen];
  const { signal } = controller;
  change({ asking: true, error: null });
  const { source, target } = page.whole ?? page;
  const json = { text: one.source, source, target, alignment: true, n_best: OTHERS + 1 };
  try {
    const found = await (await ask("./v1/translate", { json, signal })).json();
    const texts = new Set([one.own.text]);
    one.others = [found, ...found.alternatives].filter(({ text }) => !texts.has(text) && texts.add(text));
    change({ asking: false });
  } catch (error) {
    if (!signal.aborted) refused(error, askOthers, false);
  }
}

/** Take another translation of the chosen sentence; 0 is the first. */
export function pick(number) {
  page.sentences[page.chosen].picked = number;
  change({});
}

/** What is to be said about the translations shown: {sentence, flags}. */
export function remarks() {
  return page.sentences
    .map((one, sentence) => ({ sentence, flags: shown(one).flags }))
    .filter(({ flags }) => flags.length);
}
