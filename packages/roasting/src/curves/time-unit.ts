export type TimeUnit = 's' | 'cs' | 'ms' | 'min' | 'h';

/** Units per second. */
export const perSecond: Record<TimeUnit, number> = { s: 1, cs: 100, ms: 1000, min: 1 / 60, h: 1 / 3600 };

/**
 * The time unit of an imported curve, guessed from its last time: above 50 000 milliseconds, above 5 000 centiseconds,
 * else seconds (the product document's limits). Show the choice and let a person change it: a roast of more than 83
 * minutes in seconds would be read as centiseconds.
 */
export function guessTimeUnit(lastTime: number): TimeUnit {
  if (lastTime > 50_000) return 'ms';
  if (lastTime > 5_000) return 'cs';
  return 's';
}

/**
 * Points of an imported curve in seconds, and the unit that was chosen or given. Points whose time is not a number, or
 * is negative, are dropped; numbers written as text count as numbers.
 */
export function withTimeInSeconds<P extends { readonly time: unknown }>(
  points: readonly P[],
  unit?: TimeUnit,
): { unit: TimeUnit; points: (Omit<P, 'time'> & { timeSeconds: number })[]; dropped: number } {
  const timed: { time: number; point: P }[] = [];
  for (const point of points) {
    const time = numberOf(point.time);
    if (time !== null && time >= 0) timed.push({ time, point });
  }
  const chosen = unit ?? guessTimeUnit(timed.at(-1)?.time ?? 0);
  return {
    unit: chosen,
    dropped: points.length - timed.length,
    points: timed.map(({ time, point }) => {
      const { time: _, ...rest } = point;
      return { ...rest, timeSeconds: time / perSecond[chosen] };
    }),
  };
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null;
}
