/**
 * Widths beside the plot of every chart of a roast, px. Fixed, so that charts under each other share their time axis to the
 * pixel. `°C/min` fits above them.
 */
export const axisPixels = 46;
/** Right of a plot without an axis there: half of the last time label. */
export const barePixels = 16;

/** For `afterFit` of a vertical axis. */
export const fixedWidth = (scale: { width: number }): void => {
  scale.width = axisPixels;
};
