/** One roast as a bean probe measures it: preheat at 200 °C, charge, dip, turning point, rise, drop, empty drum. */
export interface CurvePoint {
  readonly seconds: number;
  readonly beanTempC: number;
}

export const curveMoments = { chargeSeconds: 60, dropSeconds: 660, endSeconds: 780 } as const;

/** A curve at `hz` readings per second with the resolution of a 0.1 °C register. */
export const roastCurve = (hz = 2): CurvePoint[] => {
  const { chargeSeconds, dropSeconds, endSeconds } = curveMoments;
  const at = (seconds: number): number => {
    if (seconds <= chargeSeconds) return 200;
    const since = seconds - chargeSeconds;
    const roast = 215 - 125 * Math.exp(-since / 260) + 110 * Math.exp(-since / 18);
    if (seconds <= dropSeconds) return roast;
    const top = 215 - 125 * Math.exp(-(dropSeconds - chargeSeconds) / 260);
    return 120 + (top - 120) * Math.exp(-(seconds - dropSeconds) / 25);
  };
  return Array.from({ length: endSeconds * hz + 1 }, (_, index) => {
    const seconds = index / hz;
    return { seconds, beanTempC: Math.round(at(seconds) * 10) / 10 };
  });
};
