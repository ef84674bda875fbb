/** Who is signed in, for what works outside of the pages, such as a queue that outlives the one it was filled on. */
let userId: string | null = null;
const listeners = new Set<() => void>();

export const currentPerson = (): string | null => userId;

export const setCurrentPerson = (next: string | null): void => {
  if (next === userId) return;
  userId = next;
  for (const listener of listeners) listener();
};

export const subscribeCurrentPerson = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};
