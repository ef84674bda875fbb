import type { Logger } from '@roastery/runtime/logger';
import { serial, type Serial } from '@roastery/runtime/turns';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { alarmsChangedChannel, parseAlarmNotice, readRunningAlarms } from '../domains/alarms/stored-alarms.ts';
import { parseRoastNotice, roastChangedChannel } from '../domains/roasts/life/announce-roast.ts';
import { readRoast } from '../domains/roasts/roast-row.ts';
import type { MachineChannel } from './machine-channel.ts';

export interface RoastChangesParts {
  readonly sql: Database;
  readonly log: Logger;
  /** Of the watched machines, by id. */
  readonly channels: ReadonlyMap<string, MachineChannel>;
  readonly deleted: (channel: MachineChannel, roastId: string) => void;
}

type SendNewest = (channel: MachineChannel, roastId: string) => Promise<void>;

/** Sends changed roasts and their alarms to those who watch their machine. */
export class RoastChanges {
  readonly #parts: RoastChangesParts;
  readonly #reads = new WeakMap<MachineChannel, Serial>();
  #listening: readonly { unlisten(): Promise<void> }[] = [];

  constructor(parts: RoastChangesParts) {
    this.#parts = parts;
  }

  async listen(): Promise<void> {
    const { sql, channels } = this.#parts;
    this.#listening = [
      await sql.listen(
        roastChangedChannel,
        (text) => this.#onRoastChanged(text),
        () => this.#guard('live roast event failed', this.#sendNewest(this.#sendRoast)),
      ),
      await sql.listen(
        alarmsChangedChannel,
        (text) => {
          const notice = parseAlarmNotice(text);
          const channel = notice && channels.get(notice.machine_id);
          if (channel !== undefined)
            this.#guard('live alarms failed', this.#sendAlarms(channel, notice?.roast_id ?? ''));
        },
        () => this.#guard('live alarms failed', this.#sendNewest(this.#sendAlarms)),
      ),
    ];
  }

  async close(): Promise<void> {
    await Promise.all(this.#listening.map((listener) => listener.unlisten()));
  }

  #onRoastChanged(text: string): void {
    const notice = parseRoastNotice(text);
    const channel = notice && this.#parts.channels.get(notice.machine_id);
    if (channel === undefined || notice === undefined) return;
    if (notice.deleted) this.#parts.deleted(channel, notice.roast_id);
    else this.#guard('live roast event failed', this.#sendRoast(channel, notice.roast_id));
  }

  #guard(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#parts.log.warn(loggable(error), what));
  }

  /** One read of a channel at a time: an answer that overtakes an earlier one would be followed by the older state. */
  #inTurn(channel: MachineChannel, read: () => Promise<void>): Promise<void> {
    const inOrder = this.#reads.get(channel) ?? serial();
    this.#reads.set(channel, inOrder);
    return inOrder(read);
  }

  readonly #sendRoast: SendNewest = (channel, roastId) =>
    this.#inTurn(channel, async () => {
      const { sql } = this.#parts;
      const [read, favourites] = await Promise.all([
        readRoast(sql, roastId, null),
        sql<{ user_id: string }[]>`SELECT user_id FROM roast_favorites WHERE roast_id = ${roastId}`,
      ]);
      if (read === undefined) return;
      const event = { type: 'roast' as const, roast: read.roast, charge_mono: read.chargeMonoMs };
      channel.broadcastRoast(event, new Set(favourites.map((row) => row.user_id)));
    });

  readonly #sendAlarms: SendNewest = (channel, roastId) =>
    this.#inTurn(channel, async () => {
      const alarms = await readRunningAlarms(this.#parts.sql, roastId);
      channel.broadcast({ type: 'alarms', roast_id: roastId, alarms });
    });

  /**
   * Changes of roasts and alarms are lost while the connection to the database is; so those of the newest roasts are sent
   * again.
   */
  async #sendNewest(send: SendNewest): Promise<void> {
    const { sql, channels } = this.#parts;
    if (channels.size === 0) return;
    const newest = await sql<{ machine_id: string; roast_id: string }[]>`
      SELECT m.id AS machine_id, r.id AS roast_id FROM unnest(${[...channels.keys()]}::uuid[]) AS m (id)
      CROSS JOIN LATERAL (SELECT id FROM roasts WHERE machine_id = m.id ORDER BY start_time DESC, id DESC LIMIT 1) r`;
    for (const { machine_id: machineId, roast_id: roastId } of newest) {
      const channel = channels.get(machineId);
      if (channel !== undefined) await send(channel, roastId);
    }
  }
}
