/** Inclusive range of sequence numbers. */
export type SeqRange = readonly [from: number, to: number];

/**
 * A set of whole numbers stored as sorted, disjoint, inclusive ranges. Streams are nearly contiguous, so it holds few
 * ranges however many entries there are.
 */
export class RangeSet {
  #ranges: [number, number][] = [];

  constructor(ranges: Iterable<SeqRange> = []) {
    for (const [from, to] of ranges) this.add(from, to);
  }

  add(from: number, to: number): void {
    if (to < from) return;
    const start = this.#firstEndingAtOrAfter(from - 1);
    let end = start;
    let [low, high] = [from, to];
    for (let range = this.#ranges[end]; range && range[0] <= to + 1; range = this.#ranges[++end]) {
      low = Math.min(low, range[0]);
      high = Math.max(high, range[1]);
    }
    this.#ranges.splice(start, end - start, [low, high]);
  }

  remove(from: number, to: number): void {
    if (to < from) return;
    const start = this.#firstEndingAtOrAfter(from);
    const left: [number, number][] = [];
    let end = start;
    for (let range = this.#ranges[end]; range && range[0] <= to; range = this.#ranges[++end]) {
      if (range[0] < from) left.push([range[0], from - 1]);
      if (range[1] > to) left.push([to + 1, range[1]]);
    }
    this.#ranges.splice(start, end - start, ...left);
  }

  has(seq: number): boolean {
    return this.covers(seq, seq);
  }

  covers(from: number, to: number): boolean {
    const range = this.#ranges[this.#firstEndingAtOrAfter(from)];
    return range !== undefined && range[0] <= from && range[1] >= to;
  }

  /** The parts of [from, to] that are in the set. */
  within(from: number, to: number): SeqRange[] {
    const found: SeqRange[] = [];
    for (let index = this.#firstEndingAtOrAfter(from); index < this.#ranges.length; index++) {
      const range = this.#ranges[index];
      if (!range || range[0] > to) break;
      found.push([Math.max(from, range[0]), Math.min(to, range[1])]);
    }
    return found;
  }

  first(): SeqRange | undefined {
    return this.#ranges[0];
  }

  last(): SeqRange | undefined {
    return this.#ranges.at(-1);
  }

  ranges(): SeqRange[] {
    return this.#ranges.map(([from, to]) => [from, to]);
  }

  /** How many numbers are in the set. */
  count(): number {
    return this.#ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  }

  /** Index of the first range whose end is at or after `seq`, by bisection. */
  #firstEndingAtOrAfter(seq: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle]?.[1] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
