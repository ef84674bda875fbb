/** Forms on screen with unsaved input, the latest at the end. */
let held: readonly symbol[] = [];

/** Keeps a form on the screen when the session ends, until the returned function is called. */
export const holdForm = (form: symbol): (() => void) => {
  held = [...held, form];
  return () => {
    held = held.filter((other) => other !== form);
  };
};

/** The form with the latest input; undefined without unsaved input. */
export const heldForm = (): symbol | undefined => held.at(-1);
