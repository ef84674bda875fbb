import { detectRoasts, type DetectedRoast } from '@roastery/roasting/detection/detect-marks';
import type { Detection, DetectorOptions } from '@roastery/roasting/detection/detector';
import { markOf, type MarkKind } from '@roastery/roasting/marks';
import { coldestC, hottestC } from '@roastery/roasting/units';
import type { BootClocks, Samples } from '../../recordings/recordings.ts';

/** From begin to end, wall clock ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The detector needs the drum before the charge, and the time after the drop until it is certain. */
export const aroundMs = { before: 20 * 60_000, after: 15 * 60_000 };

/** A mark that the detector finds in the exchanged readings, as a board would have sent it. */
export interface MarkAnew {
  readonly kind: Detection['kind'];
  readonly at_seq: number;
  readonly boot_no: number;
  readonly mono_ms: number;
  readonly temp: number | null;
  readonly confidence: number;
  readonly provisional: boolean;
}

interface Timed {
  readonly wallMs: number[];
  readonly place: number[];
}

/** The samples on the wall clock, which compares across boots. */
const onWallClock = (samples: Samples, clocks: BootClocks, { fromMs, toMs }: Span): Timed => {
  const timed: Timed = { wallMs: [], place: [] };
  for (const [place, mono] of samples.monoMs.entries()) {
    const offsetMs = clocks.get(samples.bootNo[place] ?? -1)?.offsetMs;
    if (offsetMs === undefined) continue;
    const wallMs = offsetMs + mono;
    if (wallMs < fromMs - aroundMs.before || wallMs > toMs + aroundMs.after) continue;
    timed.wallMs.push(wallMs);
    timed.place.push(place);
  }
  return timed;
};

/** What two spans share; negative: the time between them. */
const sharedMs = (one: Span, other: Span): number =>
  Math.min(one.toMs, other.toMs) - Math.max(one.fromMs, other.fromMs);

/** A detector that reads the exhaust may find its charge only after the drop. */
const maxApartMs = 5 * 60_000;

/** Of these spans the one that shares the most time with a roast, or is nearest to it; the earlier of two equal ones. */
const nearestOf = <S extends Span>(spans: readonly S[], roast: Span): S | undefined => {
  let best: S | undefined;
  for (const span of spans)
    if (sharedMs(span, roast) > (best === undefined ? -maxApartMs : sharedMs(best, roast))) best = span;
  return best;
};

/**
 * The marks that the detector finds for a board's roast when it reads the exchanged channels; undefined when it finds
 * no roast of these beans, or when another roast of the board is nearer to it.
 * @param boards the times of this board's roasts around it, with its own
 */
export const detectAnew = (
  samples: Samples,
  clocks: BootClocks,
  own: Span,
  boards: readonly Span[],
  options: DetectorOptions,
): MarkAnew[] | undefined => {
  const { wallMs, place } = onWallClock(samples, clocks, own);
  const columns = ['bean_temp', 'exhaust_temp', 'heat_power', 'fan_speed'].map((name) => samples.channels.get(name));
  const [bean, exhaust, heat, fan] = columns;
  const startMs = wallMs[0] ?? 0;
  const roasts = detectRoasts(
    wallMs.map((ms, index) => {
      const at = place[index] ?? -1;
      return {
        timeSeconds: (ms - startMs) / 1000,
        beanTempC: bean?.[at] ?? null,
        exhaustTempC: exhaust?.[at] ?? null,
        heatPower: heat?.[at] ?? null,
        fanSpeed: fan?.[at] ?? null,
      };
    }),
    options,
  );
  const lastMs = wallMs.at(-1) ?? startMs;
  const spans = roasts.flatMap((roast) => spanOf(roast, startMs, lastMs));
  const found = nearestOf(spans, own);
  if (found === undefined || nearestOf(boards, found) !== own) return undefined;
  return found.roast.marks.map((mark) => {
    const ms = startMs + mark.timeSeconds * 1000;
    const at = place[nearestIndex(wallMs, ms)] ?? 0;
    const bootNo = samples.bootNo[at] ?? 0;
    return {
      kind: mark.kind,
      at_seq: samples.seq[at] ?? 0,
      boot_no: bootNo,
      mono_ms: Math.max(0, Math.round(ms - (clocks.get(bootNo)?.offsetMs ?? 0))),
      temp: roundTemp(mark.tempC),
      confidence: mark.confidence,
      provisional: mark.provisional,
    };
  });
};

/** Hundredths, as a board sends them. */
export const roundTemp = (temp: number | null): number | null =>
  temp === null || temp < coldestC || temp > hottestC ? null : Math.round(temp * 100) / 100;

const spanOf = (roast: DetectedRoast, startMs: number, lastMs: number) => {
  const charge = markOf(roast.marks, 'charge');
  if (charge === undefined) return [];
  const drop = markOf(roast.marks, 'drop');
  const fromMs = startMs + charge.timeSeconds * 1000;
  return [{ roast, fromMs, toMs: drop === undefined ? lastMs : startMs + drop.timeSeconds * 1000 }];
};

const nearestIndex = (rising: readonly number[], ms: number): number => {
  let best = 0;
  for (const [index, at] of rising.entries())
    if (Math.abs(at - ms) < Math.abs((rising[best] ?? Infinity) - ms)) best = index;
  return best;
};

/** Without the kinds that the machine itself signalled, and without marks before its charge. */
export const besideMachine = (
  marks: readonly MarkAnew[],
  signalled: ReadonlySet<MarkKind>,
  chargeSeq: number | null,
): MarkAnew[] =>
  marks.filter(({ kind, at_seq: seq }) => !signalled.has(kind) && (chargeSeq === null || seq >= chargeSeq));
