import type { Logger } from '@roastery/runtime/logger';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { machineStatusChannel } from '../domains/devices/follow-statuses.ts';
import { readConnections, type WatchedMachine } from '../identity/machines.ts';
import type { MachineChannel } from './machine-channel.ts';

export interface ConnectionChangesParts {
  readonly sql: Database;
  readonly log: Logger;
  /** Of the watched machines, by id. */
  readonly channels: ReadonlyMap<string, MachineChannel>;
  readonly archived: (channel: MachineChannel) => void;
  /** The board's status names a stream that is new. */
  readonly streamBegun: (channel: MachineChannel, epoch: string) => void;
}

const stateOf = ({ connection, status }: WatchedMachine): string => JSON.stringify([connection, status]);

/** Sends what changed of the connections of machines to those who watch them. */
export class ConnectionChanges {
  readonly #parts: ConnectionChangesParts;
  /** The state that each channel's watchers have, so that only changes are sent. */
  readonly #lastSent = new WeakMap<MachineChannel, string>();
  #listening: { unlisten(): Promise<void> } | undefined;
  /** One statement at a time: while the database hangs, each would occupy a connection. */
  #isPolling = false;
  #isPollDue = false;

  constructor(parts: ConnectionChangesParts) {
    this.#parts = parts;
  }

  async listen(): Promise<void> {
    const { sql, channels } = this.#parts;
    this.#listening = await sql.listen(machineStatusChannel, (machineId) => {
      if (channels.has(machineId)) this.poll();
    });
  }

  /** The state that a new channel begins with. */
  begin(channel: MachineChannel, machine: WatchedMachine): void {
    this.#lastSent.set(channel, stateOf(machine));
  }

  poll(): void {
    this.#isPollDue = true;
    if (!this.#isPolling) void this.#pollWhileDue();
  }

  async close(): Promise<void> {
    await this.#listening?.unlisten();
  }

  async #pollWhileDue(): Promise<void> {
    this.#isPolling = true;
    while (this.#isPollDue) {
      this.#isPollDue = false;
      await this.#compare().catch((error: unknown) =>
        this.#parts.log.warn(loggable(error), 'live connection poll failed'),
      );
    }
    this.#isPolling = false;
  }

  async #compare(): Promise<void> {
    const { sql, channels, archived, streamBegun } = this.#parts;
    if (channels.size === 0) return;
    // A channel that opens while the query runs is not in its result, and not archived.
    const asked = [...channels.values()];
    const machines = await readConnections(
      sql,
      asked.map(({ machine }) => machine.id),
    );
    for (const channel of asked) {
      if (channels.get(channel.machine.id) !== channel) continue;
      const now = machines.get(channel.machine.id);
      if (now === undefined) {
        archived(channel);
        continue;
      }
      channel.setExchanged(now);
      const state = stateOf(now);
      const { connection, last_seen_at, status } = now;
      if (this.#lastSent.get(channel) !== state)
        channel.broadcast({ type: 'status', connection, last_seen_at, status });
      this.#lastSent.set(channel, state);
      // Batches of it that arrived before its status were not sent.
      if (status?.epoch !== undefined && channel.noteStream(status.epoch)) streamBegun(channel, status.epoch);
    }
  }
}
