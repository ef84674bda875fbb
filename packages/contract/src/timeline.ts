import { z } from 'zod';
import { gapReasons } from './roast-curves.ts';
import { roastShape, roastStatusShape } from './roasts.ts';
import { endpointsOf } from './endpoint.ts';
import { givenInstantShape, idShape, instantShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Timeline');

const between = z.object({ from: instantShape, to: instantShape });

/** One journal of the machine's board: its samples are one recording. */
export const timelineRecordingShape = between.extend({ id: idShape });

/** `new_recording`: the board began another journal, for example on a new card. */
export const timelineGapReasons = [...gapReasons, 'new_recording'] as const;
export const timelineGapShape = between.extend({ reason: z.enum(timelineGapReasons) });
export type TimelineGap = z.infer<typeof timelineGapShape>;

/** A roast as a window on a recording. */
export const timelineRoastShape = z.object({
  id: idShape,
  said_number: z.string(),
  coffee_name: z.string().nullable(),
  status: roastStatusShape,
  /** Null for a roast that no board recorded: a file, or one that was logged by hand. */
  recording_id: idShape.nullable(),
  /** Its charge; without one, where a charge was first reported. */
  from: instantShape,
  /** Its drop; without one, where the board ended it. Null while it runs. */
  to: instantShape.nullable(),
  charge_at: instantShape.nullable(),
  drop_at: instantShape.nullable(),
  made_by_hand: z.boolean(),
});
export type TimelineRoast = z.infer<typeof timelineRoastShape>;

/** A roast that was discarded, and can be restored. */
export const discardedRoastShape = z.object({
  id: idShape,
  said_number: z.string(),
  coffee_name: z.string().nullable(),
  from: instantShape,
  discarded_at: instantShape,
});
export type DiscardedRoast = z.infer<typeof discardedRoastShape>;

/** The newest discarded roasts of a span. */
export const maxDiscardedRoasts = 50;

export const timelineShape = between.extend({
  /** First and last time of everything that this machine recorded; null before its first sample. */
  first_at: instantShape.nullable(),
  last_at: instantShape.nullable(),
  recordings: z.array(timelineRecordingShape),
  /** Bean temperature: lowest and highest reading of each step of the span that has samples. */
  curve: z.object({
    /** ms since 1970 of the first sample of the step. */
    at: z.array(z.number().int()),
    low: z.array(z.number().nullable()),
    high: z.array(z.number().nullable()),
  }),
  gaps: z.array(timelineGapShape),
  /** The newest roasts where there are too many. */
  roasts: z.array(timelineRoastShape),
  /** The number of roasts in the span. */
  roasts_total: z.number().int(),
  /** Newest first. */
  discarded: z.array(discardedRoastShape).max(maxDiscardedRoasts),
});
export type Timeline = z.infer<typeof timelineShape>;

export const getTimeline = endpoint({
  name: 'getTimeline',
  method: 'GET',
  path: '/machines/{id}/timeline',
  summary: 'A machine’s timeline: recordings, bean temperature, gaps with reasons, and roasts',
  right: 'see',
  params: z.object({ id: idShape }),
  query: z.object({
    /** Without a span: the day that ends with the newest sample, or its recorded part. */
    from: givenInstantShape.optional(),
    to: givenInstantShape.optional(),
    /** Steps that the span is divided into: one per pixel. */
    points: z.coerce.number().int().min(50).max(2000).default(600),
  }),
  response: timelineShape,
  errors: ['not_found'],
});

export const makeRoast = endpoint({
  name: 'makeRoast',
  method: 'POST',
  path: '/machines/{id}/roasts',
  summary: 'Create a roast from a range of a machine’s recording; without a drop it is in progress',
  right: 'roast',
  status: 201,
  params: z.object({ id: idShape }),
  body: z.object({
    /** Without it: now. */
    charge_at: instantShape.optional(),
    drop_at: instantShape.nullable().optional(),
  }),
  response: roastShape,
  errors: ['not_found', 'conflict'],
});

const byId = z.object({ id: idShape });

export const splitRoast = endpoint({
  name: 'splitRoast',
  method: 'POST',
  path: '/roasts/{id}/split',
  summary: 'Split a roast: the first part drops at this moment, the second is charged then',
  right: 'roast',
  params: byId,
  body: z.object({ at: givenInstantShape }),
  response: z.object({ first: roastShape, second: roastShape }),
  errors: ['not_found', 'conflict'],
});

export const mergeRoasts = endpoint({
  name: 'mergeRoasts',
  method: 'POST',
  path: '/roasts/{id}/merge',
  summary: 'Merge two adjacent roasts of one recording: the earlier one stays and gets the later one’s drop',
  right: 'roast',
  params: byId,
  body: z.object({ with: idShape }),
  response: roastShape,
  errors: ['not_found', 'conflict'],
});

export const discardRoast = endpoint({
  name: 'discardRoast',
  method: 'POST',
  path: '/roasts/{id}/discard',
  summary: 'Discard something that was not a roast. Its samples stay, stock and plan are released; it can be restored',
  right: 'roast',
  params: byId,
  response: messageShape,
  errors: ['not_found', 'conflict'],
});

export const restoreRoast = endpoint({
  name: 'restoreRoast',
  method: 'POST',
  path: '/roasts/{id}/restore',
  summary: 'Restore a discarded roast',
  right: 'roast',
  params: byId,
  response: roastShape,
  errors: ['not_found', 'conflict'],
});
