import { channelUnits } from '@roastery/contract/channels';
import { parseShape } from '@roastery/contract/parse-shape';
import { markKinds, markOrigins, type Mark } from '@roastery/roasting/marks';
import type { PythonValue } from '@roastery/roasting/artisan/python-literal';
import { z } from 'zod';
import type { ImportedChannel, ImportedFacts } from './imported-roast.ts';

const textOrNull = z.string().nullable();
const numberOrNull = z.number().nullable();

/** Additional data in our own files that their format has no place for, so that an import restores everything. */
export const roastRecordShape = z.object({
  v: z.literal(1),
  recorded_at: z.iso.datetime(),
  facts: z.object({
    coffee_name: textOrNull,
    coffee_origin: textOrNull,
    coffee_process: textOrNull,
    machine_name: textOrNull,
    roasted_by: textOrNull,
    profile_name: textOrNull,
    roast_number: textOrNull,
    roast_level: textOrNull,
    batch_size_kg: numberOrNull,
    end_weight_kg: numberOrNull,
    color: numberOrNull,
    cupping_score: numberOrNull,
    notes: textOrNull,
  }) satisfies z.ZodType<ImportedFacts>,
  marks: z.array(
    z.object({
      kind: z.enum(markKinds),
      /** Since the recording began. */
      time_seconds: z.number(),
      temp: numberOrNull,
      origin: z.enum(markOrigins),
      confidence: z.number(),
    }),
  ),
  /** The curves beside bean and exhaust temperature, in the order of the file. Absent in a file that another program wrote. */
  channels: z.array(z.object({ name: z.string(), label: z.string(), unit: z.enum(channelUnits) })).optional(),
});

export interface RoastRecord {
  readonly recordedAtMs: number;
  readonly facts: ImportedFacts;
  readonly marks: readonly Mark[];
  readonly channels: readonly Omit<ImportedChannel, 'values'>[] | undefined;
}

const plain = (value: PythonValue): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, part]) => [key, plain(part)]));
  return Array.isArray(value) ? value.map(plain) : value;
};

/** The record in a file of our own; undefined for every other, and for a modified one. */
export const readRecord = (value: PythonValue | undefined): RoastRecord | undefined => {
  const parsed = parseShape(roastRecordShape, value === undefined ? undefined : plain(value));
  if (!parsed.success) return undefined;
  const { facts, marks, channels, recorded_at: recordedAt } = parsed.data;
  return {
    recordedAtMs: Date.parse(recordedAt),
    facts,
    channels,
    marks: marks.map(({ kind, time_seconds: timeSeconds, temp, origin, confidence }) => ({
      kind,
      timeSeconds,
      tempC: temp,
      origin,
      confidence,
      provisional: false,
    })),
  };
};
