import type { UploadChoices } from '@roastery/contract/imports';
import { detectMarks } from '@roastery/roasting/detection/detect-marks';
import { markOf, marksInOrder, type Mark, type MarkKind } from '@roastery/roasting/marks';
import { valueAt, type Reading } from '@roastery/roasting/curves/series';
import { formatDuration } from '@roastery/roasting/units';
import { dropOf } from './assemble-roast.ts';
import { valuesOf, type ImportedRoast } from './imported-roast.ts';

/** The distance up to which a detected charge belongs to the same roast as the file's own, s. */
const sameRoastSeconds = 60;

const byHand = (roast: ImportedRoast, kind: 'charge' | 'drop', timeSeconds: number): Mark => ({
  kind,
  timeSeconds,
  tempC: valueAt(roast.timesSeconds, valuesOf(roast, 'bean_temp') ?? [], timeSeconds),
  origin: 'person',
  confidence: 1,
  provisional: false,
});

/** One reading per second is enough to find a charge; searching more than this many takes seconds. */
const maxExamined = 20_000;

/** Indices of readings a second or more apart, evenly spread over the recording. */
const lookedAt = (timesSeconds: readonly number[], bean: readonly Reading[]): number[] => {
  const span = (timesSeconds.at(-1) ?? 0) - (timesSeconds[0] ?? 0);
  const apart = Math.max(1, span / maxExamined) - 0.05;
  let last = Number.NEGATIVE_INFINITY;
  return timesSeconds.flatMap((time, index) => {
    if (time - last < apart || (bean[index] ?? null) === null) return [];
    last = time;
    return [index];
  });
};

const detected = (roast: ImportedRoast): readonly Mark[] => {
  const bean = valuesOf(roast, 'bean_temp') ?? [];
  const heat = valuesOf(roast, 'heat_power');
  const fan = valuesOf(roast, 'fan_speed');
  return detectMarks(
    lookedAt(roast.timesSeconds, bean).map((index) => ({
      timeSeconds: roast.timesSeconds[index] ?? 0,
      beanTempC: bean[index] ?? null,
      heatPower: heat?.[index] ?? null,
      fanSpeed: fan?.[index] ?? null,
    })),
  ).map((mark) => ({ ...mark, provisional: false }));
};

/**
 * The one that counts of each mark that is said several times: of a roast that was aborted and begun again, the last charge
 * before the last drop; between the two the first of each other mark.
 */
const withoutRepeats = (marks: readonly Mark[]): { unique: Mark[]; repeated: Mark[] } => {
  const kinds = new Set(marks.map(({ kind }) => kind));
  if (kinds.size === marks.length) return { unique: [...marks], repeated: [] };
  const ofKind = (kind: MarkKind) =>
    marks.filter((mark) => mark.kind === kind).sort((a, b) => a.timeSeconds - b.timeSeconds);
  const drop = ofKind('drop').at(-1);
  const end = drop?.timeSeconds ?? Number.POSITIVE_INFINITY;
  const charge = ofKind('charge').findLast(({ timeSeconds }) => timeSeconds < end) ?? ofKind('charge')[0];
  const begin = charge?.timeSeconds ?? Number.NEGATIVE_INFINITY;
  const unique = [...kinds].flatMap((kind) => {
    const all = ofKind(kind);
    const within = all.find(({ timeSeconds }) => timeSeconds >= begin && timeSeconds <= end);
    const counts =
      kind === 'drop' ? drop : kind === 'charge' ? charge : kind === 'cool_end' ? all.at(-1) : (within ?? all[0]);
    return counts === undefined ? [] : [counts];
  });
  return { unique, repeated: unique.filter(({ kind }) => ofKind(kind).length > 1) };
};

const repeatedSentences = (repeated: readonly Mark[]): string[] =>
  repeated.map(
    ({ kind, timeSeconds }) =>
      `The file marks ${kind.replaceAll('_', ' ')} more than once; the one at ${formatDuration(timeSeconds)} of the recording counts.`,
  );

/** Marks of the file that are consistent; marks that break the order of a roast are left out. */
const inOrder = (marks: readonly Mark[]): { kept: Mark[]; left: number } => {
  const kept: Mark[] = [];
  for (const mark of marks) if (marksInOrder([...kept, mark]).ok) kept.push(mark);
  return { kept, left: marks.length - kept.length };
};

const sentenceOf = (found: readonly Mark[]): string[] => {
  const ends = found.filter(({ kind }) => kind === 'charge' || kind === 'drop').map(({ kind }) => kind);
  if (ends.length === 0) return [];
  return [`The file marks no ${ends.join(' and no ')}; detected from the curve. Check the marks before you continue.`];
};

/** A curve of beans: it ends well above its beginning, at a temperature of roasted coffee. */
const minRiseC = 60;
const minTopC = 150;
const beginningSeconds = 180;

/**
 * The charge of a recording that begins with it, where neither the file nor the curve shows one; only of a file that marks later events
 * of the roast, or of a program that counts from the start of its recording if no charge was marked.
 */
const chargeAtStart = (roast: ImportedRoast, kept: readonly Mark[]): Mark | undefined => {
  const first = roast.timesSeconds[0];
  if (first === undefined || (kept.length === 0 && roast.countsFromStart !== true)) return undefined;
  const bean = (valuesOf(roast, 'bean_temp') ?? []).flatMap((temp, index) =>
    temp === null ? [] : [{ temp, since: (roast.timesSeconds[index] ?? first) - first }],
  );
  const lowest = Math.min(...bean.flatMap(({ temp, since }) => (since <= beginningSeconds ? [temp] : [])));
  const hottest = bean.reduce((most, { temp }) => Math.max(most, temp), -Infinity);
  if (hottest < minTopC || hottest - lowest < minRiseC) return undefined;
  const charge: Mark = { ...byHand(roast, 'charge', first), origin: 'detector', confidence: 0.5 };
  return marksInOrder([...kept, charge]).ok ? charge : undefined;
};

/** The drop after such a charge: where the curve falls steeply from its top. */
const dropAfterStart = (roast: ImportedRoast): Mark[] => {
  const at = dropOf(roast.timesSeconds, valuesOf(roast, 'bean_temp') ?? []);
  if (at === undefined || at === roast.timesSeconds.at(-1)) return [];
  return [{ ...byHand(roast, 'drop', at), origin: 'detector', confidence: 0.5 }];
};

const startSentence =
  'The file marks no charge and none was found in the curve: the recording was taken to begin with it. Check the charge.';

/**
 * A person's choice takes precedence over the file's mark. Missing marks are detected in the curve, as on a board:
 * charge and drop, turning point and dry end.
 */
export const completeMarks = (roast: ImportedRoast, choices: UploadChoices): ImportedRoast => {
  const chosen = (['charge', 'drop'] as const).flatMap((kind) => {
    const seconds = choices[`${kind}_seconds`];
    return seconds === undefined ? [] : [byHand(roast, kind, seconds)];
  });
  const first = roast.timesSeconds[0] ?? 0;
  const last = roast.timesSeconds.at(-1) ?? 0;
  const ofFile = roast.marks.filter(
    ({ kind, timeSeconds }) =>
      !chosen.some((mark) => mark.kind === kind) && timeSeconds >= first - 1 && timeSeconds <= last + 1,
  );
  const { unique, repeated } = withoutRepeats(ofFile);
  const { kept, left } = inOrder([...chosen, ...unique]);
  const charge = markOf(kept, 'charge');
  const drop = markOf(kept, 'drop');
  const candidates = detected(roast);
  const theirCharge = markOf(candidates, 'charge');
  const isSameRoast =
    charge === undefined ||
    (theirCharge !== undefined && Math.abs(theirCharge.timeSeconds - charge.timeSeconds) <= sameRoastSeconds);
  const added: Mark[] = [];
  for (const mark of isSameRoast ? candidates : []) {
    const isOpen = markOf(kept, mark.kind) === undefined;
    const isWithin =
      (charge === undefined || mark.timeSeconds > charge.timeSeconds) &&
      (drop === undefined || mark.timeSeconds < drop.timeSeconds);
    if (isOpen && isWithin && marksInOrder([...kept, ...added, mark]).ok) added.push(mark);
  }
  const begun = charge === undefined && markOf(added, 'charge') === undefined ? chargeAtStart(roast, kept) : undefined;
  if (begun !== undefined) {
    const isOpen = drop === undefined && markOf(added, 'drop') === undefined;
    for (const mark of [begun, ...(isOpen ? dropAfterStart(roast) : [])]) {
      if (marksInOrder([...kept, ...added, mark]).ok) added.push(mark);
    }
  }
  const warnings = [
    ...roast.warnings,
    ...repeatedSentences(repeated),
    ...(left > 0 ? [`${left} of the file’s marks are out of order and were skipped.`] : []),
    ...(begun === undefined ? sentenceOf(added) : [startSentence]),
  ];
  const marks = [...kept, ...added].sort((a, b) => a.timeSeconds - b.timeSeconds);
  return { ...roast, marks, warnings: markOf(marks, 'drop') ? warnings : [...warnings, 'The roast has no drop.'] };
};
