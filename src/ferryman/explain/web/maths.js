// The arithmetic that the page does itself.

/** softmax(row / divisor); entries for which `open` is false get exactly 0. */
export function softmax(row, divisor = 1, open = () => true) {
  let highest = -Infinity;
  row.forEach((x, i) => {
    if (open(i)) highest = Math.max(highest, x / divisor);
  });
  const raised = Array.from(row, (x, i) => (open(i) ? Math.exp(x / divisor - highest) : 0));
  const total = raised.reduce((a, b) => a + b, 0);
  return raised.map((x) => x / total);
}

/** The entropy of a distribution in bits. */
export function entropy(row) {
  return Array.from(row).reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0);
}

export function mean(numbers) {
  return numbers.reduce((a, b) => a + b, 0) / numbers.length;
}

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

export function distance(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] - b[i]) ** 2;
  return Math.sqrt(sum);
}

/** The places of the `count` largest numbers, largest first. */
export function largest(row, count) {
  return Array.from(row, (_, i) => i)
    .sort((a, b) => row[b] - row[a] || a - b)
    .slice(0, count);
}

/** A matrix, rows one after the other. */
export class Matrix {
  constructor(rows, columns, data) {
    Object.assign(this, { rows, columns, data });
  }

  static of(rows, columns, value) {
    const data = new Float32Array(rows * columns);
    for (let r = 0; r < rows; r += 1) for (let c = 0; c < columns; c += 1) data[r * columns + c] = value(r, c);
    return new Matrix(rows, columns, data);
  }

  at(row, column) {
    return this.data[row * this.columns + column];
  }

  row(index) {
    return this.data.subarray(index * this.columns, (index + 1) * this.columns);
  }

  /** The largest absolute value. */
  get peak() {
    return this.data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  }
}

/** Attention between words: what a word's tokens receive is added up, what they give is averaged. */
export function join(matrix, queries, keys) {
  return Matrix.of(queries.length, keys.length, (r, c) =>
    mean(queries[r].map((q) => keys[c].reduce((sum, k) => sum + matrix.at(q, k), 0))),
  );
}

/** Cosine (or the plain product) of every row with every other. */
export function similarity(matrix, cosine) {
  const rows = Array.from({ length: matrix.rows }, (_, i) => matrix.row(i));
  const sizes = rows.map((row) => (cosine ? Math.sqrt(dot(row, row)) || 1 : 1));
  return Matrix.of(matrix.rows, matrix.rows, (a, b) => dot(rows[a], rows[b]) / (sizes[a] * sizes[b]));
}
