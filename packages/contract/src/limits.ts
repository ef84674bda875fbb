// Separate from the shapes, so that a page that only needs these figures does not load the schemas.

/** Below this weight a lot that a recipe watches raises an alert, kg (product document). */
export const lowStockKg = 20;

/** The widest span of one timeline request, days. */
export const maxTimelineDays = 400;
/** The shortest roast that can be made from a range of a recording, s. */
export const minRoastSeconds = 10;
/** The shortest span, s: below it there are too few samples to show. */
export const minTimelineSeconds = 10;
