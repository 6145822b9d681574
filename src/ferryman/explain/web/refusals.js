// What a server's refusal means, in the words of the page; and what the server itself says of it, in English.
import { h } from "./dom.js";
import { givenKey } from "./state.js";
import { t } from "./words.js";

const KINDS = ["request", "language", "text", "file", "large", "often", "busy", "slow", "server"];
const PLAIN = ["often", "busy", "slow", "server"]; // of which the server says nothing more

/** Say in words what a Refused means. */
export function told({ status, code }) {
  if (status === 0) return t("wrong.unreachable");
  if (code === "key") return t(givenKey() ? "wrong.key" : "wrong.keyless");
  return KINDS.includes(code) ? t(`wrong.${code}`) : t("wrong.status", { status });
}

/** What the server says of it, as an element; empty if that is no more than the kind. */
export function detail({ said, code }) {
  const reason = said.replace(/^Invalid request: /, "");
  return reason && code !== "key" && !PLAIN.includes(code) ? h("span", { class: "note detail", lang: "en" }, reason) : "";
}
