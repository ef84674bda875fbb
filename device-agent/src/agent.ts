import { join } from 'node:path';
import type { MachineMap } from '@roastery/contract/machine-map';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { createServiceNotifier } from '@roastery/runtime/systemd';
import { agentVersion } from './agent-version.ts';
import { isMoving, watchClock, watchHealth, watchTrouble } from './agent-watches.ts';
import { createBoardReport } from './board-report.ts';
import { openChannelWatch } from './channel-watch.ts';
import { createBoardClock, type BoardClock } from './clock/board-clock.ts';
import { credentialId, type AgentConfig } from './config.ts';
import type { RecordingContext } from './core/entry.ts';
import { createWallClock, type WallClock } from './core/wall-clock.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createDeviceProfile, type DeviceProfileSource, type KnownBrokers } from './device-profile.ts';
import { openJournal } from './journal/journal.ts';
import { chooseMachineMap, keepPushedMap, readMachineMap } from './machine-map-file.ts';
import { MachineReadings } from './machine-readings.ts';
import { MapChanges, withOverrides } from './map-changes.ts';
import { plainBrokerWarning } from './pairing/pairing-trouble.ts';
import { openPlanStore } from './plan/plan-store.ts';
import { createBoardProbe } from './probe/board-probe.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { readKeptSettings } from './settings-trial.ts';
import { describeBoard, nextRun, programSource } from './status.ts';
import type { SourceDescription } from './source.ts';
import { createStatusPage } from './status-page/status-server.ts';
import { createTimeServers } from './time-servers.ts';
import { createUpdateOrders } from './update/update-orders.ts';
import { startUplink, type Uplink } from './uplink/uplink.ts';

export interface Agent extends AsyncDisposable {
  /** Stops reading, syncs the journal, publishes a last status; within 10 s. */
  close(): Promise<void>;
}

const lastStatusMs = 3000;

/** Without a map the board is online, and reads as soon as one is chosen in the portal. */
const firstMap = async (
  config: AgentConfig,
  profile: DeviceProfileSource,
  log: Logger,
): Promise<{ readonly map?: MachineMap; readonly trouble?: string | undefined }> => {
  const onBoard = await chooseMachineMap(config.dataDir, config.machineMapPath, log);
  if (onBoard) return { map: onBoard };
  const answer = await profile.ask();
  const fromServer = answer?.map;
  if (!fromServer) {
    const trouble = answer?.mapTrouble;
    log.warn({ reason: trouble }, 'machine map: missing');
    return { trouble };
  }
  await keepPushedMap(config.dataDir, fromServer).catch((error: unknown) =>
    log.error({ reason: String(error) }, 'machine map: write failed'),
  );
  return { map: fromServer };
};

/** Without a map there are events, but no samples. */
const contextOf = (boot: string, of: SourceDescription | undefined): RecordingContext => ({
  boot,
  map: { id: of?.id ?? 'none', rev: of?.rev ?? 0 },
  channels: Object.keys(of?.channels ?? {}),
});

interface RecordingParts {
  readonly clock: BoardClock;
  readonly wallClock: WallClock;
  readonly time: Clock;
  readonly log: Logger;
  /** The plan or the watch of the channels has something new for the status. */
  readonly changed: () => void;
}

/** The journal with all that is recorded in it, continued where the last process ended. */
const openRecording = async (
  config: AgentConfig,
  source: SourceDescription | undefined,
  map: MachineMap | undefined,
  { clock, wallClock, time, log, changed }: RecordingParts,
) => {
  let recorder: Recorder | undefined;
  const journal = await openJournal({
    folder: join(config.dataDir, 'journal'),
    capBytes: config.journalCapBytes,
    clock: wallClock,
    time,
    log,
    context: contextOf(clock.boot, source),
    state: () => recorder?.state(),
    credential: credentialId(config),
  });
  const plans = await openPlanStore({ dataDir: config.dataDir, log, changed });
  const channelWatch = await openChannelWatch({ dataDir: config.dataDir, log, map, changed });
  const recording = createRecorder(journal, clock, source, plans, channelWatch);
  recorder = recording;
  journal.noteState();
  journal.appendEvent(clock.now().mono, { type: 'start', agent_version: agentVersion });
  return { journal, plans, channelWatch, recording };
};

/** The brokers' addresses. An unencrypted one is logged once, before the token leaves the board. */
const findBrokers = (
  { mqttUrl }: AgentConfig,
  profile: DeviceProfileSource,
  log: Logger,
): (() => Promise<KnownBrokers | undefined>) => {
  const warnedOf = new Set<string>();
  return async () => {
    const brokers = mqttUrl === undefined ? await profile.brokers() : { urls: [mqttUrl] };
    for (const url of brokers?.urls ?? []) {
      const warning = plainBrokerWarning(url);
      if (warning === undefined || warnedOf.has(warning)) continue;
      log.warn({ warning }, 'uplink: broker connection not encrypted');
      warnedOf.add(warning);
    }
    return brokers;
  };
};

/** The uplink is started last, because it reports all other parts. */
interface UplinkPlace {
  uplink?: Uplink;
}

/** All parts that need no running uplink. */
const compose = async (config: AgentConfig, log: Logger, time: Clock, place: UplinkPlace) => {
  const clock = createBoardClock({ mono: time.monotonic, wall: time.now });
  const wallClock = createWallClock(clock.now);
  const profile = createDeviceProfile({ ...config, log });
  /** Loaded on demand, so that only boards with Artisan use the memory. */
  const artisanParts = config.artisan && (await import('./artisan/artisan-source.ts'));
  const artisanDescribed = config.artisan && artisanParts?.describeArtisan(config.artisan);
  const first: Awaited<ReturnType<typeof firstMap>> = config.artisan ? {} : await firstMap(config, profile, log);
  const settings = await readKeptSettings(config.dataDir, config.machineSerial, log);
  const map = withOverrides(first.map, settings.now);
  const ownFile = config.machineMapPath === undefined ? undefined : await readMachineMap(config.machineMapPath);

  const statusChanged = (): void => place.uplink?.refreshStatus();
  const { journal, plans, channelWatch, recording } = await openRecording(config, artisanDescribed ?? map, map, {
    clock,
    wallClock,
    time,
    log,
    changed: statusChanged,
  });
  const machine = new MachineReadings({
    config,
    map,
    trouble: first.trouble,
    time,
    log,
    readsBy(next) {
      journal.setContext(contextOf(clock.boot, next));
      recording.setSource(next);
      channelWatch.setMap(next);
    },
    changed: statusChanged,
    roastRuns: recording.roastRuns,
  });
  const orders = createUpdateOrders({ env: process.env, log, changed: statusChanged });
  const timeServers = createTimeServers(process.env, log);
  const boardProbe = createBoardProbe({
    read: (request) => machine.ask(request),
    map: () => machine.map,
    lendLine: (work) => machine.lendLine(work),
    roastRuns: recording.roastRuns,
    send: async (message) => place.uplink?.tellProbe(message),
    now: () => clock.now(),
    log,
    clock: time,
  });
  const report = createBoardReport({
    config,
    clock,
    journal,
    uplink: () => place.uplink,
    map: () => machine.map,
    described: () => artisanDescribed ?? machine.map,
    artisan: () => machine.artisan,
    link: () => machine.link,
    serverOffsetMs: profile.serverOffsetMs,
    plans,
    channelsExchanged: channelWatch.status,
  });
  const page = createStatusPage(config, { status: () => report.status(), log });
  const changes = new MapChanges({
    dataDir: config.dataDir,
    log,
    time,
    settings,
    base: first.map,
    isMachineRead: () => machine.link.state === 'ok',
    reachServer: async () => (await place.uplink?.reaches()) ?? false,
    usePage: (mode) => page.use(mode),
    timeServers: timeServers.state,
    useTimeServers: timeServers.use,
    current: () => machine.map,
    ownFile,
    changed: statusChanged,
    roastRuns: recording.roastRuns,
    async use(next) {
      await boardProbe.leaveLine();
      await machine.use(next);
    },
  });
  return {
    config,
    log,
    time,
    run: await nextRun(config.dataDir, time.now(), log),
    clock,
    wallClock,
    profile,
    artisanParts,
    settings,
    journal,
    plans,
    channelWatch,
    recording,
    machine,
    orders,
    timeServers,
    boardProbe,
    report,
    page,
    changes,
  };
};
type AgentParts = Awaited<ReturnType<typeof compose>>;

const connect = (parts: AgentParts, place: UplinkPlace): Uplink => {
  const { config, log, clock, profile, journal, plans, channelWatch, recording, machine, orders, changes } = parts;
  return startUplink({
    serialNumber: config.machineSerial,
    token: config.machineToken,
    ca: config.mqttCa,
    journal,
    clock: parts.wallClock,
    time: parts.time,
    log,
    run: parts.run,
    brokers: findBrokers(config, profile, log),
    status: () =>
      describeBoard({
        agentVersion,
        firmwareVersion: config.firmwareVersion,
        dataDir: config.dataDir,
        journal,
        map: () => machine.map,
        source: () => config.artisan && programSource(machine.artisan, config.artisan.url !== undefined),
        link: () => machine.link,
        clockSynced: () => clock.now().synced,
        entriesWaiting: () => place.uplink?.entriesWaiting() ?? 0,
        config: () => changes.state(),
        plan: () => plans.status(),
        channelsExchanged: channelWatch.status,
        order: () => orders.progress(),
      }),
    configReceived(pushed) {
      if (config.artisan && pushed.map)
        changes.refused(pushed.rev, 'this board reads Artisan on this computer instead of a machine map');
      else changes.received(pushed);
      orders.received(pushed.update);
      if (pushed.mqtt_urls !== undefined) void profile.learn(pushed.mqtt_urls);
    },
    configRefused: (rev, issue) => changes.refused(rev, `this agent does not understand it: ${issue}`),
    plansReceived: (received) => plans.received(received, recording.runningRoastId()),
    probeRequested: (request) => parts.boardProbe.requested(request),
  });
};

/**
 * Starts the agent: reads the machine, keeps the journal, ships it. It needs neither network nor broker nor a set
 * clock. Throws `ConfigError` with one clear line when its own map file, the data folder or a second agent prevents the
 * start.
 */
export const startAgent = async (config: AgentConfig, log: Logger, time: Clock = realClock): Promise<Agent> => {
  const unlock = await lockDataDir(config.dataDir, log);
  try {
    return await startLocked(config, log, unlock, time);
  } catch (error) {
    await unlock();
    throw error;
  }
};

const startLocked = async (
  config: AgentConfig,
  log: Logger,
  unlock: () => Promise<void>,
  time: Clock,
): Promise<Agent> => {
  const service = createServiceNotifier(process.env, log, time);
  const place: UplinkPlace = {};
  const parts = await compose(config, log, time, place);
  const { journal, recording, machine, boardProbe, report, page, changes, settings } = parts;
  const uplink = connect(parts, place);
  place.uplink = uplink;

  const pageOpened = page.use(settings.now.status_page);
  // Also after a start of the board: its request may not have been handled.
  parts.timeServers
    .use(settings.now.time_servers)
    .catch((error: unknown) => log.warn({ reason: String(error) }, 'time servers: not requested'));
  machine.start((reading) => {
    const { live, roastChanged, paceChanged } = recording.record(reading);
    uplink.show(live);
    report.show(live);
    if (roastChanged) uplink.ship();
    if (paceChanged) uplink.refreshStatus();
    changes.afterReading((live.values['bean_temp'] ?? null) !== null);
    boardProbe.afterReading();
  });
  if (parts.artisanParts) {
    await machine.startArtisan(parts.artisanParts.startArtisan);
    log.info({ ...config.artisan, epoch: journal.epoch, version: agentVersion }, 'artisan: watching started');
  }
  const watched = { ...parts, uplink };
  const stopWatching = [watchClock(watched), watchTrouble(watched)];
  await pageOpened;
  stopWatching.push(
    service.feedWatchdog(() => isMoving(watched)),
    watchHealth(watched),
  );
  service.ready();
  const { map } = machine;
  if (map)
    log.info({ map: map.id, rev: map.rev, epoch: journal.epoch, version: agentVersion }, 'machine: reading started');

  const close = async (): Promise<void> => {
    service.stopping();
    for (const stop of stopWatching) stop();
    await page.close();
    await parts.orders.close();
    await boardProbe.stop();
    await changes.stop();
    await machine.stop();
    await parts.plans.settled();
    await parts.channelWatch.settled();
    journal.noteState();
    await uplink.stop(lastStatusMs);
    await journal.close();
    await unlock().catch((error: unknown) => log.warn({ reason: String(error) }, 'lock: release failed'));
  };
  return { close, [Symbol.asyncDispose]: close };
};
