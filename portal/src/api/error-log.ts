/** The portal's only log for failures that the user sees only in part. */
export const logError = (what: string, error: unknown): void => {
  // oxlint-disable-next-line no-console -- the browser's console is the log of the portal
  console.error(what, error);
};
