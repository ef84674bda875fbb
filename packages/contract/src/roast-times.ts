import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { timeZoneShape, uploadFormats } from './imports.ts';
import { idShape, instantShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

/**
 * Roasts that were imported by an earlier version from files with a local time, which it read as UTC. `open`: not yet checked;
 * `shifted`: corrected, can be undone; `right`: a person said that the time is right as it is.
 */
export const timeStates = ['open', 'shifted', 'right'] as const;
export type TimeState = (typeof timeStates)[number];

export const timeToCheckShape = z.object({
  roast_id: idShape,
  said_number: z.string(),
  coffee_name: z.string().nullable(),
  machine_name: z.string().nullable(),
  file_name: z.string().nullable(),
  format: z.enum(uploadFormats),
  state: z.enum(timeStates),
  /** As it was imported. */
  imported_time: instantShape,
  /** The same clock in the time zone; of a shifted roast, the time it has now. */
  corrected_time: instantShape,
});
export type TimeToCheck = z.infer<typeof timeToCheckShape>;

export const timesToCheckShape = z.object({
  roasts: z.array(timeToCheckShape),
  total: z.number().int(),
  /** In which the corrected times are. */
  time_zone: z.string(),
  /** Roasts in this state by the program that wrote their files. */
  formats: z.array(z.object({ format: z.enum(uploadFormats), roasts: z.number().int() })),
  /** Roasts in each state. */
  states: z.object({ open: z.number().int(), shifted: z.number().int(), right: z.number().int() }),
});
export type TimesToCheck = z.infer<typeof timesToCheckShape>;

const { q: _search, ...page } = pageQuery(50);

export const listTimesToCheck = endpoint({
  name: 'listTimesToCheck',
  method: 'GET',
  path: '/roast-times',
  summary:
    'Imported roasts whose time may be off by the time zone, with the corrected time; only those that the user may change',
  query: z.object({
    ...page,
    state: z.enum(timeStates).default('open'),
    format: z.enum(uploadFormats).optional(),
    /** Absent: the roastery's. */
    time_zone: timeZoneShape.optional(),
  }),
  response: timesToCheckShape,
});

/** Roasts of one request by their ids. */
export const maxRoastsByIds = 500;

export const changeTimesToCheck = endpoint({
  name: 'changeTimesToCheck',
  method: 'POST',
  path: '/roast-times',
  summary: 'Correct the times of imported roasts by the time zone, confirm that they are right, or undo either',
  body: z.object({
    action: z.enum(['shift', 'confirm', 'undo']),
    /** Of `shift`: the zone of the files. Absent: the roastery's. */
    time_zone: timeZoneShape.optional(),
    /** Of `undo`: roasts in this state. */
    state: z.enum(['shifted', 'right']).default('shifted'),
    /** Absent: of every program. */
    format: z.enum(uploadFormats).optional(),
    /** Absent: all of them. */
    roast_ids: z.array(idShape).min(1, 'Choose at least one roast').max(maxRoastsByIds).optional(),
  }),
  response: z.object({ roasts: z.number().int() }),
});
