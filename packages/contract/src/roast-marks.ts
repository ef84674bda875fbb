import { markKinds } from '@roastery/roasting/marks';
import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { roastShape } from './roasts.ts';
import { idShape, instantShape, temperatureShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

const markBodyShape = z
  .object({
    /** Seconds since charge; for a roast without a charge, as its curve counts them. */
    time_seconds: z.number().min(-14_400).max(86_400).optional(),
    /** The wall clock time, instead of `time_seconds`. */
    at: instantShape.optional(),
    temp: temperatureShape.nullable().optional(),
  })
  .refine((body) => (body.time_seconds === undefined) !== (body.at === undefined), {
    path: ['time_seconds'],
    message: 'Give either time_seconds or at',
  });

const markParams = z.object({ id: idShape, kind: z.enum(markKinds) });

export const putMark = endpoint({
  name: 'putMark',
  method: 'PUT',
  path: '/roasts/{id}/marks/{kind}',
  summary: 'Set or move a mark by hand; the roast’s window moves, no sample changes',
  right: 'roast',
  params: markParams,
  body: markBodyShape,
  response: roastShape,
  errors: ['not_found', 'conflict'],
});

export const deleteMark = endpoint({
  name: 'deleteMark',
  method: 'DELETE',
  path: '/roasts/{id}/marks/{kind}',
  summary: 'Remove a mark set by hand: the mark that it replaced is used again',
  right: 'roast',
  params: markParams,
  response: roastShape,
  errors: ['not_found', 'conflict'],
});
