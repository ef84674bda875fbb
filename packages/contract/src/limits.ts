// Apart from the shapes, so that a page that needs only these figures does not load the schemas.

/** Below this a lot that a recipe watches raises an alert, kg (product document). */
export const lowStockKg = 20;

/** The widest range that one answer about a timeline covers, days. */
export const maxTimelineDays = 400;
/** The shortest range, s: below it there are too few samples to see. */
export const minTimelineSeconds = 10;
