import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { machineDriftShape } from './machine-drift.ts';
import { idShape, instantShape } from './shapes.ts';

const endpoint = endpointsOf('Machines');

const known = z.number().nullable();

/** Forecasts so many seconds ahead, over the newest roasts, each before anything was learnt from it. */
export const forecastRecordShape = z.object({
  ahead_seconds: z.number().int(),
  /** Mean error of the bean temperature, °C: in all, from 150 °C on, and of a line by the rate of rise of that time. */
  error: known,
  error_from_150: known,
  error_of_line: known,
  /** Share of the roasts’ temperatures inside the band of 8 in 10; null where no band was known yet. */
  held: known,
  held_from_150: known,
});
export type ForecastRecordRow = z.infer<typeof forecastRecordShape>;

/** How a roast went beside what its burner, air, batch, coffee and season explain, by the machine's earlier roasts. */
export const roastDepartureShape = z.object({
  roast_id: idShape,
  start_time: instantShape,
  /** The temperature of its turning point, °C above what was to be expected. */
  turn: z.number(),
  /** Its rate of rise from the turning point to the drop, percent above. */
  rate: z.number(),
});
export type RoastDeparture = z.infer<typeof roastDepartureShape>;

export const machineLessonsShape = z.object({
  /** Completed roasts that it learns from, at most 60, and when the oldest and newest of them began. */
  roasts: z.number().int(),
  from: instantShape.nullable(),
  to: instantShape.nullable(),
  /** Null before two of them could be forecast. */
  forecast: z
    .object({
      /** Whether a running roast shows it: where it has no skill, nothing is shown. */
      is_shown: z.boolean(),
      /** Whether the time of first crack is shown; else its temperature alone. */
      times_first_crack: z.boolean(),
      judged_roasts: z.number().int(),
      ahead: z.array(forecastRecordShape),
    })
    .nullable(),
  /** How long the bean probe takes for 63 % of a change, by its falls after the charge: median, and half of the roasts. */
  probe_lag: z.object({ seconds: z.number(), low: z.number(), high: z.number(), roasts: z.number().int() }).nullable(),
  /** Roasts that can be compared to notice a drift, and how many are needed before anything is said. */
  compared_roasts: z.number().int(),
  needed_roasts: z.number().int(),
  /** Newest first. */
  drifts: z.array(machineDriftShape),
  /** Of the newest roasts that were compared, oldest first; empty before there are enough of them. */
  departures: z.array(roastDepartureShape),
});
export type MachineLessons = z.infer<typeof machineLessonsShape>;

export const getMachineLessons = endpoint({
  name: 'getMachineLessons',
  method: 'GET',
  path: '/machines/{id}/lessons',
  summary:
    'What a machine has taught by its own roasts: how well they are forecast, the lag of its bean probe, and drifts of its probes and burner',
  right: 'see',
  params: z.object({ id: idShape }),
  response: machineLessonsShape,
  errors: ['not_found'],
});
