import type { Link, MachineMap } from '@roastery/contract/machine-map';
import type { LiveReading } from '@roastery/contract/mqtt';
import { agentVersion } from './agent-version.ts';
import type { ChannelWatch } from './channel-watch.ts';
import type { BoardClock } from './clock/board-clock.ts';
import type { AgentConfig } from './config.ts';
import { portalUnit } from './core/decoder.ts';
import { freeBytes } from './status.ts';
import type { Journal } from './journal/journal.ts';
import type { PlanStore } from './plan/plan-store.ts';
import type { ArtisanSource } from './artisan/artisan-source.ts';
import type { MachineLink, SourceDescription } from './source.ts';
import type { BoardStatus } from './status-page/board-status.ts';
import { planText } from './status-page/plan-words.ts';
import { readUpdateState } from './update/update-state.ts';
import type { Uplink } from './uplink/uplink.ts';

export interface BoardReportSources {
  readonly config: AgentConfig;
  readonly clock: BoardClock;
  readonly journal: Journal;
  /** Undefined until it is started. */
  readonly uplink: () => Pick<Uplink, 'connection' | 'entriesWaiting' | 'brokerAt' | 'brokers'> | undefined;
  readonly map: () => MachineMap | undefined;
  /** The recorded channels, of the map or of Artisan. */
  readonly described: () => SourceDescription | undefined;
  readonly artisan: () => Pick<ArtisanSource, 'files'> | undefined;
  readonly link: () => MachineLink;
  readonly serverOffsetMs: () => number | undefined;
  readonly plans: Pick<PlanStore, 'running' | 'next'>;
  readonly channelsExchanged: ChannelWatch['status'];
}

/** The machine's address in a few characters: `tcp 192.168.0.20:502`, `rtu /dev/ttyUSB0`. */
export const describeLine = (link: Link): string =>
  'host' in link ? `${link.kind} ${link.host}:${link.port}` : `${link.kind} ${link.path}`;

/** Keeps the newest reading and provides the data of the board's own page. */
export const createBoardReport = (from: BoardReportSources) => {
  const startedAt = Date.now();
  let newest: LiveReading | undefined;
  let last: BoardStatus['roast']['last'] = null;

  const runningRoast = (): BoardStatus['roast']['running'] =>
    newest?.roast?.state === 'in_progress'
      ? { id: newest.roast.id, seconds: Math.round((from.clock.mono() - newest.roast.charge_mono) / 1000) }
      : null;

  const planNow = (): BoardStatus['plan'] => {
    const running = runningRoast();
    const followed = from.plans.running();
    return running !== null && followed?.roastId === running.id
      ? planText(followed.plan, running.seconds, newest?.values ?? {})
      : planText(running === null ? from.plans.next() : undefined, null, {});
  };

  return {
    show(reading: LiveReading): void {
      newest = reading;
      const { roast } = reading;
      if (roast && roast.state !== 'in_progress' && roast.id !== last?.id)
        last = { id: roast.id, state: roast.state, ended_at: reading.t };
    },
    async status(): Promise<BoardStatus> {
      const { config, journal } = from;
      const uplink = from.uplink();
      const free = await freeBytes(config.dataDir);
      const { bytes, droppedEntries, trouble, inMemory, entriesInMemory, awaitingOwner, syncEveryMs } = journal.stats();
      const [map, link] = [from.map(), from.link()];
      const connection = uplink?.connection() ?? { connected: false, since: startedAt, reason: undefined };
      const artisan = from.artisan();
      const { wall, synced } = from.clock.now();
      const channels = newest === undefined ? [] : Object.entries(from.described()?.channels ?? {});
      return {
        v: 1,
        agent_version: agentVersion,
        firmware_version: config.firmwareVersion,
        machine_serial: config.machineSerial,
        api_url: new URL(config.apiUrl).origin,
        pid: process.pid,
        started_at: startedAt,
        now: wall,
        machine: {
          state: link.state,
          detail: link.detail ?? null,
          line: map === undefined ? (config.artisan?.url ?? null) : describeLine(map.link),
          reached_hz: link.reachedHz ?? null,
        },
        map: map === undefined ? null : { id: map.id, rev: map.rev, maker: map.maker, model: map.model, hz: map.hz },
        artisan: artisan === undefined ? null : { live: config.artisan?.url !== undefined, files: artisan.files() },
        values: channels.map(([channel, definition]) => ({
          channel,
          value: newest?.values[channel] ?? null,
          unit: portalUnit(channel, definition),
        })),
        values_age_ms: newest === undefined ? null : Math.max(0, Math.round(from.clock.mono() - newest.mono)),
        roast: { running: runningRoast(), last },
        plan: planNow(),
        channels_exchanged: from.channelsExchanged()?.roasts ?? null,
        uplink: {
          ...connection,
          reason: connection.reason ?? null,
          broker: uplink?.brokerAt() ?? null,
          brokers: [...(uplink?.brokers() ?? [])],
        },
        journal: {
          entries_waiting: uplink?.entriesWaiting() ?? 0,
          bytes,
          dropped_entries: droppedEntries,
          send_every_seconds: syncEveryMs / 1000,
          trouble: trouble ?? null,
          in_memory: inMemory,
          entries_in_memory: entriesInMemory,
          streams_awaiting_owner: awaitingOwner,
        },
        clock: { synced, server_offset_ms: from.serverOffsetMs() ?? null },
        disk: { free_bytes: free ?? null },
        update: (await readUpdateState()) ?? null,
      };
    },
  };
};
