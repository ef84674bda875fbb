const capacity = 8192;

/** Finds the sequence number of the sample nearest to a time within the last `capacity` samples. */
export const createSamplePlaces = () => {
  let times: number[] = [];
  let seqs: number[] = [];
  return {
    add(timeMs: number, seq: number): void {
      times.push(timeMs);
      seqs.push(seq);
      // In steps, so that the list is not moved for every sample.
      if (times.length > capacity * 1.25) {
        times = times.slice(-capacity);
        seqs = seqs.slice(-capacity);
      }
    },
    /** Null when the time lies more than 30 s outside the known samples. */
    nearest(timeMs: number): number | null {
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((times[middle] ?? Infinity) < timeMs) low = middle + 1;
        else high = middle;
      }
      const after = times[low] ?? Infinity;
      const before = times[low - 1] ?? -Infinity;
      const index = after - timeMs < timeMs - before ? low : low - 1;
      const distance = Math.abs((times[index] ?? Infinity) - timeMs);
      return distance <= 30_000 ? (seqs[index] ?? null) : null;
    },
  };
};
export type SamplePlaces = ReturnType<typeof createSamplePlaces>;
