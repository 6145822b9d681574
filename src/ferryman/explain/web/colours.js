// Numbers to colours, in the colours of the page's theme.
const known = new Map();

function hex(name) {
  const key = `${document.documentElement.dataset.theme} ${name}`;
  if (!known.has(key)) known.set(key, look(name));
  return known.get(key);
}

function look(name) {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16));
}

function blend(from, to, share) {
  return `rgb(${from.map((x, i) => Math.round(x + (to[i] - x) * share)).join(",")})`;
}

export function colour(name) {
  return `rgb(${hex(name).join(",")})`;
}

/** From nothing (0) to `top`. The root lets small weights be seen; the legend shows it. */
export function ramp(name, top = 1) {
  const [from, to] = [hex("--cell"), hex(name)];
  return (value) => blend(from, to, share(value / top));
}

/** The same as bytes of red, green and blue, for pictures of a pixel a cell. */
export function pixels(name, top, values) {
  const [from, to] = [hex("--cell"), hex(name)];
  const bytes = new Uint8ClampedArray(4 * values.length);
  values.forEach((value, i) => {
    const part = share(value / top);
    for (let c = 0; c < 3; c += 1) bytes[4 * i + c] = from[c] + (to[c] - from[c]) * part;
    bytes[4 * i + 3] = 255;
  });
  return bytes;
}

function share(value) {
  return Math.sqrt(Math.min(1, Math.max(0, value)));
}

/** What the darkest colour stands for: 1, or less where no weight comes near that. */
export function darkest(matrix) {
  const peak = matrix.peak;
  return peak > 0.5 ? 1 : Math.max(0.01, Math.ceil(peak * 50) / 50);
}

/** From minus `peak` over nothing to `peak`. */
export function diverging(peak) {
  const [low, none, high] = [hex("--source"), hex("--cell"), hex("--target")];
  return (value) => blend(none, value < 0 ? low : high, Math.min(1, Math.abs(value) / (peak || 1)));
}

/** Whether writing on what `ramp` paints must stand out from a strong colour. */
export function inverted(value, top = 1) {
  return share(value / top) > 0.55;
}
