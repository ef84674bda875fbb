import { markKinds } from '@roastery/roasting/marks';
import { z } from 'zod';
import { channelNameShape } from './channels.ts';
import { sentMapShape } from './machine-map.ts';
import { idShape, lineShape, temperatureShape } from './shapes.ts';

/**
 * Topics and payloads between a board and the server. MQTT user name = serial number, password = machine token, client
 * id = `clientIdOf(serial)`. A serial number may hold any character: it is percent-encoded as one topic level. A reader
 * ignores unknown fields, in every message and both directions, so that boards and servers of different versions work
 * together. `v` changes only when the meaning of a known field changes. Servers and boards of commit f7cf7b7 refuse unknown
 * fields in journal batches, live readings, machine maps and probe messages: those four get no new field. Two
 * exceptions. A probe request has `link` for a board that reports no machine map; older boards did not run without one.
 * A journal batch has `continues` for a server that has stated the owner of the stream; older servers state none.
 */
const root = 'roastery/v1';
const level = (serialNumber: string): string => encodeURIComponent(serialNumber);

export const topicKinds = ['journal', 'live', 'status', 'ack', 'config', 'plan', 'probe', 'probed'] as const;
export type TopicKind = (typeof topicKinds)[number];

export const topicOf = (serialNumber: string, kind: TopicKind): string => `${root}/${level(serialNumber)}/${kind}`;
/** Filter over all machines. */
export const allMachines = (kind: TopicKind): string => `${root}/+/${kind}`;
export const parseTopic = (topic: string): { serialNumber: string; kind: TopicKind } | undefined => {
  const [a, b, serial, kind, ...rest] = topic.split('/');
  if (`${a}/${b}` !== root || serial === undefined || serial === '' || rest.length > 0) return undefined;
  const known = topicKinds.find((candidate) => candidate === kind);
  if (known === undefined) return undefined;
  try {
    const serialNumber = decodeURIComponent(serial);
    return level(serialNumber) === serial ? { serialNumber, kind: known } : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
};
export const clientIdOf = (serialNumber: string): string => `board-${level(serialNumber)}`;

/** A board publishes these on its own topics only … */
export const deviceMayPublish: readonly TopicKind[] = ['journal', 'live', 'status', 'probed'];
/** … and reads these, its own only. */
export const deviceMaySubscribe: readonly TopicKind[] = ['ack', 'config', 'plan', 'probe'];

/**
 * Bytes of one packet. A journal batch of 600 entries × 64 channels is below it; a broker closes the connection of a
 * client that sends a larger one.
 */
export const maxPacketBytes = 256 * 1024;

/** User name of the api's own connection; its password is the broker secret. */
export const serviceUserName = '$api';
/** The api leaves a word here for itself: a broker that has lost what it retained has lost it too. */
export const memoryTopic = topicOf(serviceUserName, 'probe');

export const epochShape = z.string().regex(/^[0-9a-f]{16}$/, 'sixteen hex digits, random per journal folder');
const seqShape = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const millisShape = z.number().int().min(0).max(8.64e15);

/** The stream that this one continues: the recording of stream `epoch`, from sequence number `seq` on. */
export const continuesShape = z.object({ epoch: epochShape, seq: seqShape });
export type Continues = z.infer<typeof continuesShape>;

/** Where and when a batch was made. Elapsed time comes from `mono`; the wall clock of a board may be weeks off. */
const batchHead = {
  v: z.literal(1),
  /** Stream id: random per journal folder, so that a re-flashed card cannot collide. Order is (epoch, seq). */
  epoch: epochShape,
  /** Sequence number of the first entry; entry i has seq + i. Samples and events share one sequence. */
  seq: seqShape,
  /** The kernel's boot id: monotonic times compare only within one boot. */
  boot: z.string().regex(/^[0-9a-f-]{8,40}$/),
  /** Whether the wall clock was synchronised when the batch was cut. */
  synced: z.boolean(),
  /** Wall clock of the first entry, ms since 1970, as known when the batch was cut. */
  t: millisShape,
  /** Monotonic clock of the first entry, ms since boot. */
  mono: millisShape,
  /**
   * For a stream that a board began because its disk failed, or because it was not shut down before: its sequence numbers
   * and its roasts continue those of an earlier stream, so both are one recording. Between them numbers may be missing.
   */
  continues: continuesShape.optional().catch(undefined),
};

export const maxBatchEntries = 600;
const valueShape = z.number().min(-1e6).max(1e6).nullable();

export const sampleBatchShape = z
  .object({
    ...batchHead,
    k: z.literal('samples'),
    map: z.object({ id: z.string().max(80), rev: z.number().int() }),
    /** ms after `mono`, one per sample, rising. */
    dt: z.array(z.number().int().min(0).max(86_400_000)).min(1).max(maxBatchEntries),
    ch: z.array(channelNameShape).min(1).max(64),
    /** One column per channel, each as long as `dt`; null where nothing valid was read. */
    s: z.array(z.array(valueShape).max(maxBatchEntries)).min(1).max(64),
  })
  .superRefine((batch, context) => {
    if (batch.s.length !== batch.ch.length)
      context.addIssue({ code: 'custom', path: ['s'], message: 's needs one column per channel in ch' });
    if (new Set(batch.ch).size !== batch.ch.length)
      context.addIssue({ code: 'custom', path: ['ch'], message: 'channel names repeat' });
    if (batch.s.some((column) => column.length !== batch.dt.length)) {
      context.addIssue({ code: 'custom', path: ['s'], message: 'every column must be as long as dt' });
    }
    if (batch.dt.some((value, index) => index > 0 && value < (batch.dt[index - 1] ?? 0))) {
      context.addIssue({ code: 'custom', path: ['dt'], message: 'dt must not fall' });
    }
  });
export type SampleBatch = z.infer<typeof sampleBatchShape>;

export const markKindShape = z.enum(markKinds);
export const markOriginShape = z.enum(['machine', 'detector', 'person']);

/** A mark, or its correction: the newest entry of one kind within a roast counts; `seq: null` withdraws the mark. */
export const markEventShape = z.object({
  type: z.literal('mark'),
  roast_id: idShape,
  kind: markKindShape,
  /** Sequence number of the sample nearest to the mark. */
  at_seq: seqShape.nullable(),
  /** Monotonic clock of the mark, ms since boot; may lie between two samples. */
  at_mono: millisShape.nullable(),
  temp: temperatureShape.nullable(),
  origin: markOriginShape,
  confidence: z.number().min(0).max(1),
  provisional: z.boolean(),
});

/** A roast exists from its first `in_progress`; the board makes its id (UUID v7). */
export const roastEventShape = z.object({
  type: z.literal('roast'),
  roast_id: idShape,
  state: z.enum(['in_progress', 'completed', 'aborted']),
  /** At its beginning: the planned roast that its charge took from the board. */
  plan_id: idShape.optional(),
});

/**
 * Entries that the journal has lost: these sequence numbers never arrive. It also names numbers that a killed process
 * may have used and of which neither the disk nor the server's statement shows an entry.
 */
export const gapEventShape = z.object({
  type: z.literal('gap'),
  from_seq: seqShape,
  to_seq: seqShape,
  /** An unknown reason from a newer agent must not lose the marks in the same batch. */
  reason: z.enum(['disk_full', 'damaged', 'cap_reached']).catch('damaged'),
});

/** The agent started: explains a pause in the samples. */
export const startEventShape = z.object({ type: z.literal('start'), agent_version: lineShape(40) });

export const journalEventShape = z.discriminatedUnion('type', [
  markEventShape,
  roastEventShape,
  gapEventShape,
  startEventShape,
]);
export type JournalEvent = z.infer<typeof journalEventShape>;
export type MarkEvent = z.infer<typeof markEventShape>;

export const eventBatchShape = z.object({
  ...batchHead,
  k: z.literal('events'),
  ev: z
    .array(z.object({ dt: z.number().int().min(0).max(86_400_000), e: journalEventShape }))
    .min(1)
    .max(maxBatchEntries),
});
export type EventBatch = z.infer<typeof eventBatchShape>;

/** Payload of `journal`, JSON, gzip allowed (recognised by its two magic bytes). */
export const journalBatchShape = z.discriminatedUnion('k', [sampleBatchShape, eventBatchShape]);
export type JournalBatch = z.infer<typeof journalBatchShape>;

/** Entries in a batch: the batch covers seq … seq + count − 1. */
export const entryCount = (batch: JournalBatch): number => (batch.k === 'samples' ? batch.dt.length : batch.ev.length);

export const maxAckRanges = 1000;

/**
 * Payload of `ack`, published after the commit: these inclusive ranges of the stream are in the database (or refused
 * for good and quarantined) and may be deleted from the board's disk. The first range starts at the lowest sequence
 * number that still matters.
 */
export const ackShape = z.object({
  v: z.literal(1),
  epoch: epochShape,
  ranges: z.array(z.tuple([seqShape, seqShape])).max(maxAckRanges),
  /**
   * Makes the message a statement of the entries that the server has: every entry up to this sequence number that it stored,
   * refused, deleted or expired lies in `ranges`. The server lacks the others and requests them from a board that still
   * has them.
   */
  through: seqShape.optional(),
  /**
   * In a statement: the owner for whom the server keeps this machine's history. Opaque; derived from machine and owner.
   */
  owner: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  /** In a statement: an admin confirmed that the board may send this stream although it was recorded for another owner. */
  restore: z.boolean().optional(),
});
export type Ack = z.infer<typeof ackShape>;

/** Payload of `live`, QoS 0: the newest reading, for display only. Same (epoch, seq) as in the journal. */
export const liveReadingShape = z.object({
  v: z.literal(1),
  epoch: epochShape,
  seq: seqShape,
  boot: batchHead.boot,
  t: millisShape,
  mono: millisShape,
  values: z.record(channelNameShape, valueShape),
  roast: z
    .object({ id: idShape, charge_mono: millisShape, state: z.enum(['in_progress', 'completed', 'aborted']) })
    .nullable(),
  /** The machine's state according to the board's detector. */
  phase: z.enum(['idle', 'roasting', 'dropped']),
});
export type LiveReading = z.infer<typeof liveReadingShape>;

const configRevShape = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** An invalid field of a status must not lose the others. */
const lenient = <T extends z.ZodType>(shape: T) => shape.optional().catch(undefined);

/** The most streams in a board's status; the current one comes first, then the newest. */
export const maxHistoryStreams = 20;

/** A stream that a board still holds on its disk, acknowledged or not. */
export const heldStreamShape = z.object({
  epoch: epochShape,
  entries: z.number().int().min(0),
  bytes: z.number().int().min(0),
  /** Wall clock of its first and last entry, as far as it is known. */
  from: millisShape.nullable(),
  to: millisShape.nullable(),
  /** It was recorded for another owner than the server's: not sent until an admin confirms. */
  sealed: z.boolean(),
});
export type HeldStream = z.infer<typeof heldStreamShape>;

/**
 * State of the newest update of a board. `waiting`: installed, begins when no roast runs. `on_trial`: it runs, and is
 * rolled back unless it stays healthy. `turned_back`: the earlier version runs again. `unfinished`: its installation
 * was interrupted, and the earlier version runs.
 */
export const boardUpdateShape = z.object({
  state: z.enum(['waiting', 'on_trial', 'good', 'turned_back', 'unfinished']),
  /** The version that was installed. */
  installed: lineShape(40),
  /** The version before it. */
  earlier: lineShape(40),
  /** Why it was rolled back. */
  reason: lineShape(300).optional(),
  /** Start of this state, ms since 1970 by the board's clock. */
  at: z.number().int().min(0).max(8_640_000_000_000_000),
});
export type BoardUpdate = z.infer<typeof boardUpdateShape>;

/**
 * A version that a board may be ordered to install: the characters of a Debian version, without an epoch. It ends in a
 * letter or digit, because apt interprets a `-` or `+` after a package's name as an order.
 */
export const boardVersionShape = z.string().regex(/^[0-9](?:[A-Za-z0-9.+~-]{0,38}[A-Za-z0-9])?$/);

/** An update that an admin ordered. The same version ordered again is another order. */
export const updateOrderShape = z.object({ id: idShape, version: boardVersionShape });
export type UpdateOrder = z.infer<typeof updateOrderShape>;

/**
 * The state of a board's order. `wanted`: not begun; `waiting`: for the end of a roast; `fetching`: it is downloaded
 * and installed; `trial`: it runs on trial; `done`: it is kept; `turned_back`: the earlier version runs again;
 * `failed`: it was not installed, and nothing changed.
 */
export const updateOrderStates = ['wanted', 'waiting', 'fetching', 'trial', 'done', 'turned_back', 'failed'] as const;
export type UpdateOrderState = (typeof updateOrderStates)[number];
export const updateProgressShape = updateOrderShape.extend({
  state: z.enum(updateOrderStates),
  /** Why it was rolled back or failed. */
  reason: lineShape(300).optional(),
});
export type UpdateProgress = z.infer<typeof updateProgressShape>;

const fileCountShape = z.number().int().min(0);

/** Artisan as the source of a board's readings: its displays live, the files of its autosave folder, or both. */
export const programSourceShape = z.object({
  kind: z.literal('artisan'),
  live: z.boolean(),
  files: z
    .object({
      sent: fileCountShape,
      refused: fileCountShape,
      waiting: fileCountShape,
      /** Why none can be read or sent now. */
      trouble: z.string().max(300).nullable(),
      /** Newest first. */
      newest: z
        .array(
          z.object({
            name: z.string().max(120),
            state: z.enum(['sent', 'refused', 'waiting']),
            reason: z.string().max(300).optional(),
          }),
        )
        .max(10),
    })
    .nullable(),
});

/** Payload of `status`, retained; the last will is the same with `online: false`. */
export const statusShape = z.object({
  v: z.literal(1),
  online: z.boolean(),
  /** Random per connection: a late last will of an older connection must not hide a newer one. */
  session: z.string().max(40),
  t: millisShape,
  /**
   * The order of a board's connections: `run` grows with each start of the agent, `count` with each connection in it. The
   * newest connection wins over what a broker that the board has left still says of an earlier one. Absent: the agent knows
   * one broker.
   */
  connection: lenient(z.object({ run: millisShape, count: z.number().int().min(1).max(2_147_483_647) })),
  /** Random per start of the agent: two ids that alternate are two boards with one credential. */
  instance: lenient(z.string().regex(/^[0-9a-f]{16}$/)),
  agent_version: lenient(lineShape(40)),
  firmware_version: lenient(lineShape(40)),
  epoch: lenient(epochShape),
  /** Absent on a board without a machine map; see `lacksMap`. */
  map: lenient(z.object({ id: z.string().max(80), rev: z.number().int() })),
  /** The source of the readings if it is not a machine map: a program on the board's computer. */
  source: lenient(programSourceShape),
  /** The state of the newest `config`. */
  config: lenient(
    z.object({
      rev: configRevShape,
      state: z.enum(['running', 'waiting', 'refused']),
      reason: z.string().max(300).optional(),
      /**
       * The settings run, and are reverted unless the server and the machine are reached with them in time. Absent: the
       * agent has no revertible settings.
       */
      trial: lenient(z.boolean()),
      /** The settings were reverted, and `state` is `refused`. */
      reverted: lenient(z.boolean()),
    }),
  ),
  /** The plan that the board follows, or holds for the next charge; null without one. */
  plan: lenient(
    z.object({ id: idShape, roast_id: idShape.nullable(), recipe_revision: z.number().int().nullable() }).nullable(),
  ),
  machine_link: lenient(z.enum(['ok', 'failing', 'starting'])),
  machine_link_detail: lenient(z.string().max(300)),
  journal: lenient(
    z.object({
      entries_waiting: z.number().int().min(0),
      bytes: z.number().int().min(0),
      dropped_entries: z.number().int().min(0),
      /**
       * How often readings are sent now: each second while a roast runs, in batches between roasts. Live readings are
       * sent at once.
       */
      send_every_seconds: lenient(z.number().min(0).max(3600)),
      /** The disk accepts no writes: entries are kept in memory and sent from there; a power cut loses them. */
      in_memory: lenient(z.boolean()),
      /** How many of them are not acknowledged. */
      entries_in_memory: lenient(z.number().int().min(0)),
    }),
  ),
  /** The streams that a server without data can request. */
  history: lenient(z.array(heldStreamShape).max(maxHistoryStreams)),
  clock_synced: lenient(z.boolean()),
  disk_free_bytes: lenient(z.number().int().min(0)),
  /**
   * So many roasts in a row look as if bean and exhaust temperature were exchanged in this map; null while too few do. Absent:
   * the agent does not judge it.
   */
  channels_exchanged: lenient(
    z
      .object({
        roasts: z.number().int().min(1),
        map: z.object({ id: z.string().max(80), rev: z.number().int() }),
      })
      .nullable(),
  ),
  /** For a board whose agent was ever updated. */
  update: lenient(boardUpdateShape),
  /** The update that was ordered from the portal, null without one; absent on a board that accepts no orders. */
  order: lenient(updateProgressShape.nullable()),
});
export type DeviceStatus = z.infer<typeof statusShape>;

/** The beginning of `machine_link_detail` of a board without a machine map; its `machine_link` is `starting`. */
export const noMapDetail = 'no machine map';

/** Whether a board reports that it has no machine map, so that it reads nothing. */
export const lacksMap = (
  status: { readonly map?: unknown; readonly machine_link_detail?: string | null | undefined } | null,
): boolean =>
  status !== null && (status.map ?? null) === null && status.machine_link_detail?.startsWith(noMapDetail) === true;

/** Who can open the board's own page: no one, the board itself, or its whole network. */
export const statusPageModes = ['off', 'board', 'network'] as const;

export const maxTimeServers = 4;
/** A host name, or an IPv4 or IPv6 address. */
export const timeServerShape = z
  .string()
  .max(253)
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]{1,33}[0-9A-Fa-f])$/,
    'A time server is a host name or an address, e.g. pool.ntp.org or 192.168.1.1',
  );
export const timeServersShape = z
  .array(timeServerShape)
  .min(1, 'Enter a time server')
  .max(maxTimeServers, `At most ${maxTimeServers} time servers`);

/**
 * Settings for one board that replace those of its map or its own file. Boards of commit f7cf7b7 only know `hz`
 * and `log_level`.
 */
export const boardOverridesShape = z.object({
  /** Readings per second instead of the map's. */
  hz: z.number().min(0.1).max(10).optional(),
  log_level: z.enum(['error', 'warn', 'info', 'debug']).optional(),
  /** Instead of the map's `timeoutMs`. */
  timeout_ms: z.number().int().min(20).max(10_000).optional(),
  /** Instead of the map's `gapMs`. */
  gap_ms: z.number().int().min(0).max(1000).optional(),
  status_page: z.enum(statusPageModes).optional(),
  /** Instead of those of the board's system. */
  time_servers: timeServersShape.optional(),
});
export type BoardOverrides = z.infer<typeof boardOverridesShape>;

/** Brokers of one roastery. */
export const maxBrokers = 16;
/** The addresses of all brokers of a roastery, between which a board chooses. */
export const brokerUrlsShape = z
  .array(z.url({ protocol: /^mqtts?$/ }).max(300))
  .min(1)
  .max(maxBrokers);

/**
 * Payload of `config`, retained: the machine map that the owner chose and the settings of this board. `rev` increases
 * with every change; the board names in its status the one it runs. Without a map it keeps reading with its own.
 */
export const configShape = z.object({
  v: z.literal(1),
  rev: configRevShape.default(0),
  map: sentMapShape.nullable(),
  ...boardOverridesShape.shape,
  /**
   * The update that the board is to download and install; absent where none was ordered, or the order was withdrawn.
   */
  update: updateOrderShape.optional().catch(undefined),
  /** Where there are several brokers; a board of an earlier version keeps the address that it has. */
  mqtt_urls: lenient(brokerUrlsShape),
});
export type DeviceConfig = z.infer<typeof configShape>;

/** The revision of a `config` that is not understood, so that the refusal can name it. */
export const unreadableConfigShape = z.object({ rev: configRevShape });
