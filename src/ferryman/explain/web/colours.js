// Numbers to colours, in the colours of the page's theme.
function hex(name) {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16));
}

function blend(from, to, share) {
  return `rgb(${from.map((x, i) => Math.round(x + (to[i] - x) * share)).join(",")})`;
}

export function colour(name) {
  return `rgb(${hex(name).join(",")})`;
}

/** From nothing (0) to everything (1). The root lets small weights be seen; the legend shows it. */
export function ramp(name) {
  const [from, to] = [hex("--cell"), hex(name)];
  return (value) => blend(from, to, Math.sqrt(Math.min(1, Math.max(0, value))));
}

/** From minus `peak` over nothing to `peak`. */
export function diverging(peak) {
  const [low, none, high] = [hex("--source"), hex("--cell"), hex("--target")];
  return (value) => blend(none, value < 0 ? low : high, Math.min(1, Math.abs(value) / (peak || 1)));
}

/** Whether writing on this share of the ramp must be light. */
export function inverted(value) {
  return Math.sqrt(Math.max(0, value)) > 0.55;
}
