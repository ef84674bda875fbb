import type { Sql } from '../db/sql.ts';
import { type BootSpan, readBoots } from './boot-spans.ts';
import { readSteps, type Span } from './read-steps.ts';

/** The recordings of these boots in a span, whole, in order of time. */
const recordingsOf = (boots: readonly BootSpan[], span: Span) => {
  const byId = new Map<string, { id: string; fromMs: number; toMs: number }>();
  for (const { recording_id: id, from_ms, to_ms } of boots) {
    const known = byId.get(id) ?? { id, fromMs: from_ms, toMs: to_ms };
    byId.set(id, { id, fromMs: Math.min(known.fromMs, from_ms), toMs: Math.max(known.toMs, to_ms) });
  }
  return [...byId.values()].filter(({ fromMs, toMs }) => toMs >= span.fromMs && fromMs <= span.toMs);
};

const extentOf = (boots: readonly BootSpan[]): Span | undefined => {
  const [any] = boots;
  if (any === undefined) return undefined;
  let [fromMs, toMs] = [any.from_ms, any.to_ms];
  for (const boot of boots) {
    fromMs = Math.min(fromMs, boot.from_ms);
    toMs = Math.max(toMs, boot.to_ms);
  }
  return { fromMs, toMs };
};

/**
 * What a machine recorded in a span, in so many steps. The cost depends on the number of steps and of the machine's boots, not on
 * that of the samples: each step reads the chunk that covers its beginning and the first one within it.
 * @param chooseSpan the span, from all that the machine recorded
 */
export const readRecordedSpan = async (
  sql: Sql,
  machineId: string,
  chooseSpan: (recorded: Span | undefined) => Span,
  points: number,
) => {
  const boots = await readBoots(sql, machineId);
  const recorded = extentOf(boots);
  const span = chooseSpan(recorded);
  return { recorded, span, recordings: recordingsOf(boots, span), steps: await readSteps(sql, boots, span, points) };
};
