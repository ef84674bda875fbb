import type { TimelineGap } from '@roastery/contract/timeline';
import type { Sql } from '../../db/sql.ts';
import { readGaps } from '../roasts/curves/roast-gaps.ts';
import type { Step } from '../../recordings/recordings.ts';

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Hole {
  readonly before: Step;
  readonly after: Step;
}

/** A shorter pause is a late reading, ms; as in the curve of a roast. */
const minGapMs = 3000;
/** … and so is one of fewer intervals than these. */
const fewestTurns = 4;

/** The usual interval between two samples, ms. */
const usualPause = (steps: readonly Step[]): number => {
  const pauses = steps
    .filter((step) => step.samples > 1)
    .map((step) => (step.last_ms - step.first_ms) / (step.samples - 1))
    .sort((a, b) => a - b);
  return pauses[Math.floor(pauses.length / 2)] ?? 0;
};

/**
 * The gaps between steps. Unread samples lie within a step: only a whole step without samples, or a pause between two
 * samples that were read, is a gap.
 */
const holesIn = (steps: readonly Step[], stepMs: number): Hole[] => {
  const limit = Math.max(minGapMs, fewestTurns * usualPause(steps), stepMs);
  return steps.flatMap((after, index) => {
    const before = steps[index - 1];
    return before !== undefined && after.first_ms - before.last_ms > limit ? [{ before, after }] : [];
  });
};

/** The gaps in a span, and their reasons: as fine as its steps. */
export const timelineGaps = async (
  sql: Sql,
  steps: readonly Step[],
  span: Span,
  points: number,
): Promise<TimelineGap[]> => {
  const holes = holesIn(steps, (span.toMs - span.fromMs) / points).filter(
    ({ before, after }) => after.first_ms > span.fromMs && before.last_ms < span.toMs,
  );
  const gaps: TimelineGap[] = [];
  const within = new Map<string, Hole[]>();
  const add = ({ before, after }: Hole, reason: TimelineGap['reason']): void => {
    const [from, to] = [Math.max(span.fromMs, before.last_ms), Math.min(span.toMs, after.first_ms)];
    gaps.push({ from: new Date(from).toISOString(), to: new Date(to).toISOString(), reason });
  };
  for (const hole of holes) {
    const { recording_id: id } = hole.before;
    if (id !== hole.after.recording_id) add(hole, 'new_recording');
    else within.set(id, [...(within.get(id) ?? []), hole]);
  }
  for (const [recordingId, ofRecording] of within) {
    const reasons = await readGaps(
      sql,
      recordingId,
      ofRecording.map(({ before, after }) => ({
        fromSeconds: before.last_ms / 1000,
        toSeconds: after.first_ms / 1000,
        fromSeq: before.last_seq,
        toSeq: after.first_seq,
        otherBoot: before.boot_no !== after.boot_no,
      })),
    );
    for (const [index, hole] of ofRecording.entries()) add(hole, reasons[index]?.reason ?? 'machine_silent');
  }
  return gaps.sort((a, b) => (a.from < b.from ? -1 : 1));
};
