import { logRoastShape } from '@roastery/contract/imports';
import { parseShape } from '@roastery/contract/parse-shape';
import { fToC, parseDuration, type TemperatureUnit } from '@roastery/roasting/units';
import type { Resolver } from 'react-hook-form';
import type { z } from 'zod';
import { instantOf } from '../../format/zoned-time.ts';
import { bodyOfFacts, emptyFacts, errorsOfShape, factFields, type FactValues } from './fact-values.ts';
import { t } from '../../language/t.ts';

export type LogBody = z.output<typeof logRoastShape>;
const tempFields = ['charge_temp', 'drop_temp', 'first_crack_temp'] as const;

/** The few figures of a roast without a recording; times as m:ss, temperatures in the reader's unit. */
export type LogValues = FactValues &
  Record<'duration_seconds' | 'first_crack_time' | (typeof tempFields)[number], string>;
export const logFields = [...factFields, 'duration_seconds', 'first_crack_time', ...tempFields] as const;

export const emptyLog = (roastedBy: string, startTime: string): LogValues => ({
  ...emptyFacts(roastedBy, startTime),
  duration_seconds: '',
  first_crack_time: '',
  charge_temp: '',
  drop_temp: '',
  first_crack_temp: '',
});

const celsius = (typed: string, unit: TemperatureUnit): number | null => {
  if (typed.trim() === '') return null;
  return unit === 'F' ? fToC(Number(typed)) : Number(typed);
};

/** Validates the form by the contract's shape; times are m:ss. */
export const logResolver =
  (unit: TemperatureUnit, timeZone: string): Resolver<LogValues, unknown, LogBody> =>
  (values) => {
    const duration = parseDuration(values.duration_seconds);
    const crack = parseDuration(values.first_crack_time);
    const parsed = parseShape(logRoastShape, {
      ...bodyOfFacts(values),
      coffee_name: values.coffee_name,
      start_time: instantOf(values.start_time, timeZone) ?? '',
      duration_seconds: duration ?? undefined,
      first_crack_time: crack,
      ...Object.fromEntries(tempFields.map((field) => [field, celsius(values[field], unit)])),
    });
    const errors = parsed.success ? {} : errorsOfShape<LogValues>(parsed, logFields);
    if (values.start_time === '') errors.start_time = { type: 'required', message: t`Enter when it was roasted` };
    if (values.duration_seconds.trim() !== '' && duration === null) {
      errors.duration_seconds = { type: 'format', message: t`Enter the time as 10:30` };
    }
    if (values.first_crack_time.trim() !== '' && crack === null) {
      errors.first_crack_time = { type: 'format', message: t`Enter the time as 8:30` };
    }
    return parsed.success && Object.keys(errors).length === 0
      ? { values: parsed.data, errors: {} }
      : { values: {}, errors };
  };
