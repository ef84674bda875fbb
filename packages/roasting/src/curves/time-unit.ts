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
