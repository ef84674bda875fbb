import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { linkShape, sentLinkShape } from './machine-map.ts';
import { idShape } from './shapes.ts';

/**
 * Finds a machine's instruments through its board: a request on the board's topic `probe`, its answers on `probed`.
 * Nothing is stored or retained, and no request writes to the machine.
 */
export const probeTables = ['holding', 'input', 'coil', 'discrete'] as const;
const tableShape = z.enum(probeTables);

/** More registers at once would load the machine too much. */
export const maxProbePlaces = 2000;
export const maxProbeUnits = 4;

export const probeWishShape = z
  .strictObject({
    units: z.array(z.number().int().min(0).max(255)).min(1).max(maxProbeUnits),
    tables: z.array(tableShape).min(1).max(4),
    from: z.number().int().min(0).max(65_535),
    count: z.number().int().min(1).max(maxProbePlaces),
    /** Also a few registers at each address range that controllers commonly use. */
    usual_places: z.boolean(),
  })
  .refine(({ from, count }) => from + count <= 65_536, {
    path: ['count'],
    message: 'The highest register number is 65535',
  });
export type ProbeWish = z.infer<typeof probeWishShape>;

/**
 * Payload of `probe`, QoS 1, never retained. `link` is the machine's address, for a board without a machine map; it is
 * only sent to those, because boards of commit f7cf7b7 refuse unknown fields here.
 */
export const probeRequestShape = z.discriminatedUnion('do', [
  z.object({
    v: z.literal(1),
    do: z.literal('look'),
    id: idShape,
    /** A board whose clock is set ignores an expired request; ms since 1970. */
    expires_at: z.number().int(),
    /** The board stops by itself after this time. */
    lasts_s: z.number().int().min(5).max(900),
    wish: probeWishShape.strip(),
    link: sentLinkShape.optional(),
  }),
  z.object({
    v: z.literal(1),
    /**
     * Finds speed, parity and answering units on the machine's line; the board reads nothing else at the same time.
     */
    do: z.literal('find'),
    id: idShape,
    expires_at: z.number().int(),
    lasts_s: z.number().int().min(5).max(900),
    /** Tried first, in addition to the usual ones. */
    unit: z.number().int().min(0).max(255),
    link: sentLinkShape.optional(),
  }),
  z.object({ v: z.literal(1), do: z.literal('stop'), id: idShape }),
]);
export type ProbeRequest = z.infer<typeof probeRequestShape>;

export const probeEnds = [
  'stopped',
  'time_is_up',
  'roast',
  'silent',
  'busy',
  'expired',
  'nothing_found',
  'board_leaves',
  'found',
  'nobody',
] as const;

/** Limit of one message, far below the broker's limit on packets. */
export const maxProbeWords = 1000;

const wordShape = z.number().int().min(0).max(65_535);
/** Neighbouring registers that were read in one request: 0 to 65535, or bits as 0 and 1. */
export const probeBlockShape = z.object({
  unit: z.number().int().min(0).max(255),
  table: tableShape,
  start: z.number().int().min(0).max(65_535),
  words: z.array(wordShape).min(1).max(maxProbeWords),
});
export type ProbeBlock = z.infer<typeof probeBlockShape>;

/** Payload of `probed`. */
export const probeMessageShape = z.discriminatedUnion('k', [
  z.object({
    v: z.literal(1),
    id: idShape,
    k: z.literal('progress'),
    /** Requests so far, and the total. */
    asked: z.number().int().min(0),
    of: z.number().int().min(0),
    found: z.number().int().min(0),
    /** Current request, e.g. `unit 1, holding 96 to 127`. */
    where: z.string().max(80),
  }),
  z.object({
    v: z.literal(1),
    id: idShape,
    k: z.literal('words'),
    /** 0 during the search; then each round reads all found registers again. */
    round: z.number().int().min(0),
    /** Seconds since the probe began. */
    seconds: z.number().min(0),
    blocks: z.array(probeBlockShape).min(1).max(200),
  }),
  z.object({
    v: z.literal(1),
    id: idShape,
    k: z.literal('trying'),
    /** Requests so far, and the maximum. */
    asked: z.number().int().min(0),
    of: z.number().int().min(0),
    /** `rtu /dev/ttyUSB0 9600 baud, no parity, unit 1` */
    where: z.string().max(300),
  }),
  z.object({
    v: z.literal(1),
    id: idShape,
    k: z.literal('line'),
    /** Settings of the machine's line, and the units that answer on it. */
    link: sentLinkShape,
    units: z.array(z.number().int().min(0).max(255)).min(1).max(32),
  }),
  z.object({
    v: z.literal(1),
    id: idShape,
    k: z.literal('ended'),
    reason: z.enum(probeEnds),
    /** What happened, and what to do about it. */
    says: z.string().max(300),
  }),
]);
export type ProbeMessage = z.infer<typeof probeMessageShape>;
export type ProbeEnd = (typeof probeEnds)[number];

const endpoint = endpointsOf('Probe');
const ofMachine = { params: z.object({ id: idShape }), right: 'manage' } as const;

/** The machine's address: needed while its board has no machine map, ignored otherwise. */
const whereItIs = { link: linkShape.optional() };

export const startProbe = endpoint({
  ...ofMachine,
  name: 'startProbe',
  method: 'POST',
  path: '/machines/{id}/probe',
  summary: 'Start a probe: the machine’s board reads registers, and writes none; results come from `watchProbe`',
  status: 202,
  body: probeWishShape.safeExtend(whereItIs),
  response: z.object({ probe_id: idShape, lasts_s: z.number().int() }),
  errors: ['not_found', 'conflict', 'too_many_requests', 'not_ready'],
});

export const findProbeLine = endpoint({
  ...ofMachine,
  name: 'findProbeLine',
  method: 'POST',
  path: '/machines/{id}/probe/find',
  summary:
    'Find speed, parity and units that answer on the machine’s line; the board only reads, and nothing else at the same time',
  status: 202,
  body: z.object({
    /** Tried first, in addition to the usual ones. */
    unit: z.number().int().min(0).max(255),
    ...whereItIs,
  }),
  response: z.object({ probe_id: idShape, lasts_s: z.number().int() }),
  errors: ['not_found', 'conflict', 'too_many_requests', 'not_ready'],
});

export const stopProbe = endpoint({
  ...ofMachine,
  name: 'stopProbe',
  method: 'POST',
  path: '/machines/{id}/probe/{probe_id}/stop',
  params: z.object({ id: idShape, probe_id: idShape }),
  summary: 'Stop a probe',
  /** False: the board can't be reached; the probe ends by itself after its time. */
  response: z.object({ asked: z.boolean() }),
  errors: ['not_found'],
});

export const watchProbe = endpoint({
  ...ofMachine,
  name: 'watchProbe',
  method: 'GET',
  path: '/machines/{id}/probe',
  summary: 'Server-sent events `probe`: messages of the board while it probes. See `ProbeMessage`',
  produces: 'text/event-stream',
  errors: ['not_found', 'too_many_requests', 'not_ready'],
});
