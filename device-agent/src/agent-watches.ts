import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { BoardClock } from './clock/board-clock.ts';
import { checkSynchronised } from './clock/synchronisation.ts';
import type { AgentConfig } from './config.ts';
import type { DeviceProfileSource } from './device-profile.ts';
import type { Journal } from './journal/journal.ts';
import type { MachineReadings } from './machine-readings.ts';
import type { Recorder } from './recorder.ts';
import { createReach, showHealth } from './service/health-sign.ts';
import type { Uplink } from './uplink/uplink.ts';

const clockCheckMs = 60_000;
/** A disk that starts or stops refusing writes is reported at once. */
const troubleCheckMs = 1000;
/** Without progress in reading or journal for this long the watchdog is no longer fed. */
const stalledMs = 30_000;

export interface WatchedParts {
  readonly config: AgentConfig;
  readonly clock: BoardClock;
  readonly time: Clock;
  readonly log: Logger;
  readonly profile: DeviceProfileSource;
  readonly journal: Journal;
  readonly machine: MachineReadings;
  readonly recording: Recorder;
  readonly uplink: Uplink;
}

/** Checks at once and then each minute whether the clock is synchronized. */
export const watchClock = ({ clock, time, log, profile, journal }: WatchedParts): Cancel => {
  const check = async (): Promise<void> => {
    const before = clock.now().synced;
    const checked = await checkSynchronised(clock.hasStepped(), { offsetMs: profile.serverOffsetMs, ask: profile.ask });
    if (checked !== undefined) clock.setSynced(checked);
    const { synced } = clock.now();
    if (synced === before) return;
    journal.noteClock();
    log.info({ synced }, 'clock: synchronization changed');
  };
  const watch = (): void => {
    check().catch((error: unknown) => log.warn({ reason: String(error) }, 'clock: check failed'));
  };
  watch();
  return time.every(clockCheckMs, watch);
};

export const watchTrouble = ({ time, journal, uplink }: WatchedParts): Cancel => {
  let trouble = journal.stats().trouble;
  return time.every(troubleCheckMs, () => {
    const now = journal.stats().trouble;
    if ((now === undefined) !== (trouble === undefined)) uplink.refreshStatus();
    trouble = now;
  });
};

/** Whether readings and journal make progress. */
export const isMoving = ({ machine, journal }: WatchedParts): boolean =>
  machine.stalledMs() < stalledMs && journal.stats().stalledMs < stalledMs;

/** Shows the agent's state to the launcher. */
export const watchHealth = (parts: WatchedParts): Cancel => {
  const { config, log, journal, machine, recording, uplink } = parts;
  const [brokerReach, machineReach] = [createReach(), createReach()];
  const ownTrouble = (): string | undefined => {
    const { trouble } = journal.stats();
    if (trouble !== undefined) return `journal: ${trouble}`;
    return isMoving(parts) ? undefined : 'no progress in reading or journal';
  };
  const machineAt = (): string | undefined => {
    const link = machine.map?.link;
    if (link === undefined) return config.artisan?.url;
    return 'host' in link ? `${link.host}:${link.port}` : link.path;
  };
  return showHealth(
    process.env,
    () => ({
      because: ownTrouble(),
      roastId: recording.runningRoastId() ?? undefined,
      broker: { reach: brokerReach(uplink.connection().connected), at: uplink.brokerAt() },
      machine: { reach: machineReach(machine.link.state === 'ok'), at: machineAt() },
    }),
    log,
  );
};
