import { coldestC, hottestC } from '@roastery/roasting/units';
import { z } from 'zod';

/** For a limit whose field has no sentence of its own: what a person can do about it, not what a program expected. */
const limitSentence = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return undefined;
  const isMost = issue.code === 'too_big';
  const limit = Number(isMost ? issue.maximum : issue.minimum);
  const figure = limit.toLocaleString('en-US');
  const most = isMost ? 'At most' : 'At least';
  if (issue.origin === 'string') return `${most} ${figure} ${limit === 1 ? 'character' : 'characters'}`;
  if (issue.origin === 'array') return `${most} ${figure} ${limit === 1 ? 'entry' : 'entries'}`;
  if (issue.origin !== 'number' && issue.origin !== 'int') return undefined;
  return issue.inclusive === false ? `${isMost ? 'Less' : 'More'} than ${figure}` : `${most} ${figure}`;
};
z.config({ customError: limitSentence });

/** UUID, version 7 for ids that we create: sorts by creation time. */
export const idShape = z.uuid();
export type Id = z.infer<typeof idShape>;

/** ISO 8601 in UTC, e.g. `2026-11-21T07:40:00.000Z`. */
export const instantShape = z.iso.datetime();

/** Calendar day in the roastery's time zone, `yyyy-mm-dd`. */
export const dayShape = z.iso.date();

/** Years that a person can mean: outside of them calendars, spreadsheets and text comparisons of days fail. */
const meantYears = /^(?:19|20|21)\d\d-|^2200-/;
const meantYearsMessage = 'Use a year from 1900 to 2200';
/** A time in a request. Stored times may lie outside, because the clock of a board can be wrong. */
export const givenInstantShape = instantShape.regex(meantYears, meantYearsMessage);
/** A day in a request. */
export const givenDayShape = dayShape.regex(meantYears, meantYearsMessage);

/** Temperatures in °C unless a name has another unit; wide enough for burners, narrow enough to refuse nonsense. */
export const temperatureShape = z.number().min(coldestC).max(hottestC);

/** A single line that a person typed: trimmed, no control characters. */
export const lineShape = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    // oxlint-disable-next-line no-control-regex -- the pattern finds the control characters to refuse
    .regex(/^[^\u0000-\u001f\u007f]*$/u, 'must not contain control characters');

/** Several lines; NUL is refused because Postgres cannot store it. */
export const textShape = (max: number) =>
  z
    .string()
    .max(max)
    // oxlint-disable-next-line no-control-regex -- the pattern finds the NUL to refuse
    .regex(/^[^\u0000]*$/u, 'must not contain NUL');

/** Query values arrive as text: `true`/`1` and `false`/`0`. */
export const flagQueryShape = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1');

/** Server-side paging: `limit` rows from `offset`; `q` searches. Each list adds its own `sort`. */
export const pageQuery = (defaultLimit: number) => ({
  limit: z.coerce.number().int().min(1).max(500).default(defaultLimit),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
  q: lineShape(200).optional(),
});

export const messageShape = z.object({ message: z.string() });

/**
 * A point of a plan: %, drum in RPM and, by the machine's maximum speed, in %. Apart from plans, whose shapes bring those of
 * recipes and roasts: a phone loads it with the dashboard.
 */
export const plannedPointShape = z.object({
  /** Seconds after charge. */
  time: z.number().min(0).max(14_400),
  burner: z.number().min(0).max(100),
  exhaust: z.number().min(0).max(100),
  drum: z.number().min(0).max(500),
  drum_percent: z.number().min(0).max(100),
});
