// Apart from the shapes, so that a page that needs the figures does not load the schemas.

/** The widest span that one answer about a timeline covers, days. */
export const longestTimelineDays = 400;
/** The shortest span, s: finer than this there is nothing to see. */
export const shortestTimelineSeconds = 10;
