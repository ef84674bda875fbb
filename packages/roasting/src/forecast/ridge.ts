/** Weights of a linear prediction by least squares, with a penalty on their squares. Observations arrive one by one. */
export interface Ridge {
  add(features: readonly number[], value: number, weight: number): void;
  /** Earlier observations count this share of what they did. */
  fade(share: number): void;
  /** Without observations every weight is 0. */
  solve(penalty: number): number[];
}

export function createRidge(size: number): Ridge {
  const squares = Array.from({ length: size }, () => Array.from({ length: size }, () => 0));
  const products = Array.from({ length: size }, () => 0);
  return {
    add(features, value, weight) {
      for (const [row, one] of features.entries()) {
        products[row] = (products[row] ?? 0) + weight * one * value;
        const line = squares[row] ?? [];
        for (const [column, other] of features.entries()) line[column] = (line[column] ?? 0) + weight * one * other;
      }
    },
    fade(share) {
      for (const line of [products, ...squares]) for (const [at, value] of line.entries()) line[at] = value * share;
    },
    solve: (penalty) =>
      eliminated(
        squares.map((line, row) => [
          ...line.map((value, column) => (row === column ? value + penalty : value)),
          products[row] ?? 0,
        ]),
      ),
  };
}

/** Gaussian elimination of a matrix with its right side as last column: positive definite, so no row has to be exchanged. */
export function eliminated(matrix: readonly (readonly number[])[]): number[] {
  const rows = matrix.map((row) => [...row]);
  const size = rows.length;
  for (const [at, pivot] of rows.entries()) {
    for (const row of rows.slice(at + 1)) {
      const times = (row[at] ?? 0) / (pivot[at] ?? 1);
      for (let column = at; column <= size; column++) row[column] = (row[column] ?? 0) - times * (pivot[column] ?? 0);
    }
  }
  const weights = Array.from({ length: size }, () => 0);
  for (let at = size - 1; at >= 0; at--) {
    const row = rows[at] ?? [];
    const known = weights.reduce((sum, weight, column) => sum + weight * (column > at ? (row[column] ?? 0) : 0), 0);
    weights[at] = ((row[size] ?? 0) - known) / (row[at] ?? 1);
  }
  return weights;
}

/** The prediction of weights. */
export function weighted(features: readonly number[], weights: readonly number[]): number {
  return features.reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0);
}
