import { forecastSources } from '@roastery/roasting/forecast/curve-forecast';
import { crackSources } from '@roastery/roasting/forecast/first-crack';
import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

export const predictedCrackShape = z.object({
  /** °C. */
  temp: z.number(),
  /** The deviation to expect of the next roast's crack, °C: eight in ten lie within 1.28 of these. */
  spread: z.number(),
  /**
   * The closest past roasts that the prediction is based on; `lot`, `coffee`, `recipe` and `batch` on the same machine.
   */
  source: z.enum(crackSources),
  /** The number of those roasts; 0 for `literature`. */
  roasts: z.number().int(),
});
export type PredictedCrack = z.infer<typeof predictedCrackShape>;

export const getLearntCrack = endpoint({
  name: 'getLearntCrack',
  method: 'GET',
  path: '/roasts/{id}/learnt-crack',
  summary: 'Predicted bean temperature at first crack, from earlier roasts',
  right: 'see',
  params: z.object({ id: idShape }),
  response: predictedCrackShape,
  errors: ['not_found'],
});

const halfBandsShape = z.object({ temp: z.array(z.number()), rate_per_minute: z.array(z.number()) });

/** What the machine's own roasts taught; all lists but the weights are by distance: 30, 60, 90 and 120 s ahead. */
const learntForecastShape = z.object({
  /** Roasts that it was learnt from. */
  roasts: z.number().int(),
  /** Of the correction of the usual rise. */
  weights: z.array(z.number()),
  /** Half of the bands of 8 in 10, °C and °C/min, below and from 150 °C; null without enough roasts there. */
  bands: z.object({ below: halfBandsShape.nullable(), above: halfBandsShape.nullable() }),
  /** Mean error of roasts that nothing was learnt from, °C. */
  errors: z.array(z.number()),
  /** Whether the band of first crack held in 8 of 10 of the newest roasts, so that its time may be shown. */
  times_first_crack: z.boolean(),
});

export const forecastBasisShape = z.object({
  /** What the past roasts have in common with this one; all are of its machine. */
  source: z.enum(forecastSources),
  /** Bean temperatures of past roasts every 5 s from charge to drop, newest first; null in a gap. */
  curves: z.array(z.array(z.number().nullable())),
  /** Null where the machine's roasts have not shown that they can be forecast. */
  learnt: learntForecastShape.nullable(),
});
export type ForecastBasisAnswer = z.infer<typeof forecastBasisShape>;

export const getForecastBasis = endpoint({
  name: 'getForecastBasis',
  method: 'GET',
  path: '/roasts/{id}/forecast-basis',
  summary: 'Past roasts of the machine that the curve of this roast is forecast from',
  right: 'see',
  params: z.object({ id: idShape }),
  response: forecastBasisShape,
  errors: ['not_found'],
});
