// Times of the answers on screen: the offline banner shows their age.

/** Key of a read → epoch milliseconds of its newest answer. */
const answeredAt = new Map<string, number>();
/** Key of a read → number of components that show it now. */
const shown = new Map<string, number>();

export const noteRead = (key: string, at: number): void => {
  answeredAt.set(key, at);
};

export const wasRead = (key: string): boolean => answeredAt.has(key);

/** Marks a read as shown, until the returned function is called. */
export const showRead = (key: string): (() => void) => {
  shown.set(key, (shown.get(key) ?? 0) + 1);
  return () => {
    const left = (shown.get(key) ?? 1) - 1;
    if (left > 0) shown.set(key, left);
    else shown.delete(key);
  };
};

/** Epoch milliseconds of the oldest answer on screen; null without answers. */
export const oldestShownRead = (): number | null => {
  let oldest: number | null = null;
  for (const key of shown.keys()) {
    const at = answeredAt.get(key);
    if (at !== undefined && (oldest === null || at < oldest)) oldest = at;
  }
  return oldest;
};

export const forgetReadTimes = (): void => answeredAt.clear();
