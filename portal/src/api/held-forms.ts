/** Forms on the screen with words in them that are not saved yet, the latest at the end. */
let held: readonly symbol[] = [];

/** Keeps a form on the screen when the session ends, until the returned function is called. */
export const holdForm = (form: symbol): (() => void) => {
  held = [...held, form];
  return () => {
    held = held.filter((other) => other !== form);
  };
};

/** The form that was typed into last; undefined where nothing would be lost. */
export const heldForm = (): symbol | undefined => held.at(-1);
