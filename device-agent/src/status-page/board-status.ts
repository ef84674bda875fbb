import { boardUpdateShape } from '@roastery/contract/mqtt';
import { z } from 'zod';

const rangeOfTime = z.number().int();

/** The status of a running agent, at `/status.json` on the board. It contains no secret. Times are ms since 1970. */
export const boardStatusShape = z.object({
  v: z.literal(1),
  agent_version: z.string(),
  firmware_version: z.string(),
  machine_serial: z.string(),
  /** Address of the roastery. */
  api_url: z.string(),
  pid: z.number().int(),
  started_at: rangeOfTime,
  now: rangeOfTime,
  machine: z.object({
    state: z.enum(['starting', 'ok', 'failing']),
    /** Why it fails, or which channels have no valid value. */
    detail: z.string().nullable(),
    /** The machine's address, e.g. `tcp 192.168.0.20:502`; null without a machine map. */
    line: z.string().nullable(),
    /** Readings per second, when line or machine are too slow for the map. */
    reached_hz: z.number().nullable(),
  }),
  /** Null: there is none yet, and nothing is read. */
  map: z
    .object({ id: z.string(), rev: z.number().int(), maker: z.string(), model: z.string(), hz: z.number() })
    .nullable(),
  /** Of a board whose readings come from Artisan; it has no map. */
  artisan: z
    .object({
      live: z.boolean(),
      files: z
        .object({
          folder: z.string(),
          sent: z.number().int(),
          refused: z.number().int(),
          waiting: z.number().int(),
          trouble: z.string().nullable(),
          newest: z.array(
            z.object({
              name: z.string(),
              state: z.enum(['sent', 'refused', 'waiting']),
              reason: z.string().optional(),
            }),
          ),
        })
        .nullable(),
    })
    .nullable()
    .default(null),
  /** The newest reading; empty before the first one. */
  values: z.array(z.object({ channel: z.string(), value: z.number().nullable(), unit: z.string() })),
  values_age_ms: z.number().nullable(),
  roast: z.object({
    /** The running roast, and its duration, seconds. */
    running: z.object({ id: z.string(), seconds: z.number() }).nullable(),
    /** The newest one that ended since this agent started. */
    last: z.object({ id: z.string(), state: z.enum(['completed', 'aborted']), ended_at: rangeOfTime }).nullable(),
  }),
  /** The current or next plan; as texts for a person at the machine. */
  plan: z
    .object({
      name: z.string(),
      is_running: z.boolean(),
      /** The planned values now; before the charge, those it begins with. */
      settings: z.string().nullable(),
      step: z.string().nullable(),
      deviations: z.array(z.string()),
    })
    .nullable()
    .default(null),
  /** So many roasts in a row look as if bean and exhaust temperature were exchanged in the map. */
  channels_exchanged: z.number().int().nullable().default(null),
  uplink: z.object({
    connected: z.boolean(),
    /** Start of the current state. */
    since: rangeOfTime,
    /** Why there is no connection. */
    reason: z.string().nullable(),
    /** `host:port` of the broker of the newest connection. */
    broker: z.string().nullable().default(null),
    /** All brokers between which the board chooses. */
    brokers: z.array(z.string()).default([]),
  }),
  journal: z.object({
    entries_waiting: z.number().int(),
    bytes: z.number().int(),
    dropped_entries: z.number().int(),
    /** How often readings are synced and sent now. */
    send_every_seconds: z.number().default(1),
    /** Why the disk refuses writes. */
    trouble: z.string().nullable(),
    /** Entries are kept in memory and sent from there. */
    in_memory: z.boolean().default(false),
    entries_in_memory: z.number().int().default(0),
    /** Recorded with an earlier credential: not sent until the server states for whom it keeps them. */
    streams_awaiting_owner: z.number().int().default(0),
  }),
  clock: z.object({
    synced: z.boolean(),
    /** The server's clock minus ours, ms; null while it is unknown. */
    server_offset_ms: z.number().nullable(),
  }),
  /** Null if the disk gives no answer. */
  disk: z.object({ free_bytes: z.number().nullable() }),
  /** The state of the newest update of the agent. */
  update: boardUpdateShape.nullable().default(null),
});
export type BoardStatus = z.infer<typeof boardStatusShape>;

/** A problem that a person at the board should know, and what to do about it. */
export interface Concern {
  readonly urgency: 'warning' | 'trouble';
  readonly says: string;
  readonly todo: string;
}
