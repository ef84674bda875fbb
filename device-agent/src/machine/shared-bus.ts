import type { Bus } from './bus.ts';

/** A bus that several may ask: each question waits for the answer to the one before it. */
export const shareBus = (bus: Bus): Bus => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read(request) {
      const answer = last.then(() => bus.read(request));
      last = answer;
      return answer;
    },
    moment: () => bus.moment(),
    close: () => bus.close(),
  };
};
