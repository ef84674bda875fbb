import { join } from 'node:path';
import type { MachineMap } from '@roastery/contract/machine-map';
import { noMapDetail } from '@roastery/contract/mqtt';
import { realClock, type Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { createServiceNotifier } from '@roastery/runtime/systemd';
import { serial } from '@roastery/runtime/turns';
import { agentVersion } from './agent-version.ts';
import type { ArtisanSource } from './artisan/artisan-source.ts';
import { createBoardReport } from './board-report.ts';
import { openChannelWatch } from './channel-watch.ts';
import { createBoardClock } from './clock/board-clock.ts';
import { checkSynchronised } from './clock/synchronisation.ts';
import { credentialId, type AgentConfig } from './config.ts';
import type { RecordingContext } from './core/entry.ts';
import { createWallClock } from './core/wall-clock.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createDeviceProfile, type DeviceProfileSource } from './device-profile.ts';
import { openJournal } from './journal/journal.ts';
import { chooseMachineMap, keepPushedMap, readMachineMap } from './machine-map-file.ts';
import { startPoller } from './machine/poller.ts';
import { createMapChanges, withOverrides } from './map-changes.ts';
import { plainBrokerWarning } from './pairing/pairing-trouble.ts';
import { openPlanStore } from './plan/plan-store.ts';
import { createBoardProbe } from './probe/board-probe.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { createReach, showHealth } from './service/health-sign.ts';
import { readKeptSettings } from './settings-trial.ts';
import { describeBoard, programSource } from './status.ts';
import type { MachineLink, Reading, Source, SourceDescription } from './source.ts';
import { createStatusPage } from './status-page/status-server.ts';
import { createTimeServers } from './time-servers.ts';
import { createUpdateOrders } from './update/update-orders.ts';
import { startUplink } from './uplink/uplink.ts';

export interface Agent extends AsyncDisposable {
  /** Stops reading, syncs the journal, publishes a last status; within 10 s. */
  close(): Promise<void>;
}

const clockCheckMs = 60_000;
/** A disk that starts or stops refusing writes is reported at once. */
const troubleCheckMs = 1000;
/** Without progress in reading or journal for this long the watchdog is no longer fed. */
const stalledMs = 30_000;
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
  const clock = createBoardClock({ mono: time.monotonic, wall: time.now });
  const wallClock = createWallClock(clock.now);
  const profile = createDeviceProfile({ ...config, log });
  const service = createServiceNotifier(process.env, log, time);
  /** Loaded on demand, so that only boards with Artisan use the memory. */
  const artisanParts = config.artisan && (await import('./artisan/artisan-source.ts'));
  const artisanDescribed = config.artisan && artisanParts?.describeArtisan(config.artisan);
  const first: Awaited<ReturnType<typeof firstMap>> = config.artisan ? {} : await firstMap(config, profile, log);
  const settings = await readKeptSettings(config.dataDir, config.machineSerial, log);
  let map: MachineMap | undefined = withOverrides(first.map, settings.now);
  const described = (): SourceDescription | undefined => artisanDescribed ?? map;
  const ownFile = config.machineMapPath === undefined ? undefined : await readMachineMap(config.machineMapPath);
  /** Without a map there are events, but no samples. */
  const contextOf = (of: SourceDescription | undefined): RecordingContext => ({
    boot: clock.boot,
    map: { id: of?.id ?? 'none', rev: of?.rev ?? 0 },
    channels: Object.keys(of?.channels ?? {}),
  });

  let recorder: Recorder | undefined;
  const journal = await openJournal({
    folder: join(config.dataDir, 'journal'),
    capBytes: config.journalCapBytes,
    clock: wallClock,
    time,
    log,
    context: contextOf(described()),
    state: () => recorder?.state(),
    credential: credentialId(config),
  });
  /** Undefined until there is an uplink. */
  let plansChanged: (() => void) | undefined;
  let channelsChanged: (() => void) | undefined;
  const plans = await openPlanStore({ dataDir: config.dataDir, log, changed: () => plansChanged?.() });
  const channelWatch = await openChannelWatch({
    dataDir: config.dataDir,
    log,
    map,
    changed: () => channelsChanged?.(),
  });
  const recording = createRecorder(journal, clock, described(), plans, channelWatch);
  recorder = recording;
  journal.noteState();
  journal.appendEvent(clock.now().mono, { type: 'start', agent_version: agentVersion });

  let artisan: ArtisanSource | undefined;
  let link: MachineLink = { state: 'starting', detail: first.trouble };
  const warnedOf = new Set<string>();
  const uplink = startUplink({
    serialNumber: config.machineSerial,
    token: config.machineToken,
    ca: config.mqttCa,
    journal,
    clock: wallClock,
    time,
    log,
    broker: async () => {
      const broker = config.mqttUrl === undefined ? await profile.broker() : { url: config.mqttUrl };
      const warning = broker === undefined ? undefined : plainBrokerWarning(broker.url);
      // Checked before the token leaves the board, once for each address.
      if (warning !== undefined && !warnedOf.has(warning))
        log.warn({ warning }, 'uplink: broker connection not encrypted');
      if (warning !== undefined) warnedOf.add(warning);
      return broker;
    },
    status: () =>
      describeBoard({
        agentVersion,
        firmwareVersion: config.firmwareVersion,
        dataDir: config.dataDir,
        journal,
        map: () => map,
        source: () => config.artisan && programSource(artisan, config.artisan.url !== undefined),
        link: () => link,
        clockSynced: () => clock.now().synced,
        entriesWaiting: uplink.entriesWaiting,
        config: () => changes.state(),
        plan: () => plans.status(),
        channelsExchanged: channelWatch.status,
        order: () => orders.progress(),
      }),
    configReceived(pushed) {
      if (config.artisan && pushed.map)
        changes.refused(pushed.rev, 'it reads Artisan on this computer instead of a machine map');
      else changes.received(pushed);
      orders.received(pushed.update);
    },
    configRefused: (rev, issue) => changes.refused(rev, issue),
    plansReceived: (received) => plans.received(received, recording.runningRoastId()),
    probeRequested: (request) => boardProbe.requested(request),
  });
  plansChanged = uplink.refreshStatus;
  channelsChanged = uplink.refreshStatus;
  const orders = createUpdateOrders({ env: process.env, log, changed: uplink.refreshStatus });

  const report = createBoardReport({
    config,
    clock,
    journal,
    uplink,
    map: () => map,
    described,
    artisan: () => artisan,
    link: () => link,
    serverOffsetMs: profile.serverOffsetMs,
    plans,
    channelsExchanged: channelWatch.status,
  });

  /** The line has one owner at a time: the readings or a probe. */
  const inTurnOnLine = serial();
  let lineLent = false;
  /** Common to all sources. */
  const sink = {
    clock: time,
    reading(reading: Reading): void {
      const { live, roastChanged, paceChanged } = recording.record(reading);
      uplink.show(live);
      report.show(live);
      if (roastChanged) uplink.ship();
      if (paceChanged) uplink.refreshStatus();
      changes.afterReading((live.values['bean_temp'] ?? null) !== null);
      boardProbe.afterReading();
    },
    linkChanged(next: MachineLink): void {
      if (next.state !== link.state)
        log[next.state === 'ok' ? 'info' : 'warn']({ detail: next.detail }, `machine: ${next.state}`);
      link = next;
      uplink.refreshStatus();
    },
  };
  const pollMachine = (by: MachineMap) => {
    recording.setSource(by);
    channelWatch.setMap(by);
    return startPoller({
      ...sink,
      map: by,
      dropped: (reading) => log.debug(reading, 'machine: reading dropped'),
    });
  };
  const page = createStatusPage(config, { status: () => report.status(), log });
  const pageOpened = page.use(settings.now.status_page);
  const timeServers = createTimeServers(process.env, log);
  // Also after a start of the board: its request may not have been handled.
  timeServers
    .use(settings.now.time_servers)
    .catch((error: unknown) => log.warn({ reason: String(error) }, 'time servers: not requested'));
  const changes = createMapChanges({
    dataDir: config.dataDir,
    log,
    time,
    settings,
    base: first.map,
    isMachineRead: () => link.state === 'ok',
    reachServer: () => uplink.reaches(),
    usePage: (mode) => page.use(mode),
    timeServers: timeServers.state,
    useTimeServers: timeServers.use,
    current: () => map,
    ownFile,
    changed: uplink.refreshStatus,
    roastRuns: recording.roastRuns,
    async use(next) {
      await boardProbe.leaveLine();
      await inTurnOnLine(async () => {
        await poller?.stop();
        if (map === undefined) link = { state: 'starting', detail: undefined };
        map = next;
        journal.setContext(contextOf(next));
        poller = pollMachine(next);
      });
      uplink.refreshStatus();
    },
  });
  const boardProbe = createBoardProbe({
    read: (request) => poller?.ask(request) ?? Promise.resolve({ kind: 'failed', reason: noMapDetail }),
    map: () => map,
    lendLine: (work) =>
      inTurnOnLine(async () => {
        lineLent = true;
        await poller?.stop();
        if (map) link = { state: 'starting', detail: 'looking for speed, parity and unit' };
        uplink.refreshStatus();
        try {
          await work();
        } finally {
          lineLent = false;
          poller = map && pollMachine(map);
        }
      }),
    roastRuns: recording.roastRuns,
    send: (message) => uplink.tellProbe(message),
    now: () => clock.now(),
    log,
    clock: time,
  });
  let poller = map && pollMachine(map);
  if (config.artisan && artisanParts) {
    artisan = await artisanParts.startArtisan({
      ...sink,
      config,
      artisan: config.artisan,
      log,
      filesChanged: uplink.refreshStatus,
      roastRuns: recording.roastRuns,
    });
    log.info({ ...config.artisan, epoch: journal.epoch, version: agentVersion }, 'artisan: watching started');
  }

  const checkClock = async (): Promise<void> => {
    const before = clock.now().synced;
    const checked = await checkSynchronised(clock.hasStepped(), { offsetMs: profile.serverOffsetMs, ask: profile.ask });
    if (checked !== undefined) clock.setSynced(checked);
    const { synced } = clock.now();
    if (synced !== before) {
      journal.noteClock();
      log.info({ synced }, 'clock: synchronization changed');
    }
  };
  const watchClock = (): void => {
    checkClock().catch((error: unknown) => log.warn({ reason: String(error) }, 'clock: check failed'));
  };
  const cancelClockChecks = time.every(clockCheckMs, watchClock);
  let trouble = journal.stats().trouble;
  const cancelTroubleChecks = time.every(troubleCheckMs, () => {
    const now = journal.stats().trouble;
    if ((now === undefined) !== (trouble === undefined)) uplink.refreshStatus();
    trouble = now;
  });
  watchClock();

  await pageOpened;
  const isMoving = (): boolean => {
    const source: Source | undefined = poller ?? artisan;
    return (lineLent || (source?.stalledMs() ?? 0) < stalledMs) && journal.stats().stalledMs < stalledMs;
  };
  const stopFeeding = service.feedWatchdog(isMoving);
  service.ready();
  const [brokerReach, machineReach] = [createReach(), createReach()];
  const stopShowingHealth = showHealth(
    process.env,
    () => {
      const { trouble: refusal } = journal.stats();
      return {
        because:
          refusal === undefined
            ? isMoving()
              ? undefined
              : 'no progress in reading or journal'
            : `journal: ${refusal}`,
        roastId: recording.runningRoastId() ?? undefined,
        broker: { reach: brokerReach(uplink.connection().connected), at: uplink.brokerAt() },
        machine: {
          reach: machineReach(link.state === 'ok'),
          at: map ? ('host' in map.link ? `${map.link.host}:${map.link.port}` : map.link.path) : config.artisan?.url,
        },
      };
    },
    log,
  );
  if (map)
    log.info({ map: map.id, rev: map.rev, epoch: journal.epoch, version: agentVersion }, 'machine: reading started');

  const close = async (): Promise<void> => {
    service.stopping();
    stopFeeding();
    stopShowingHealth();
    cancelClockChecks();
    cancelTroubleChecks();
    await page.close();
    await orders.close();
    await boardProbe.stop();
    await changes.stop();
    await poller?.stop();
    await artisan?.stop();
    await plans.settled();
    await channelWatch.settled();
    journal.noteState();
    await uplink.stop(lastStatusMs);
    await journal.close();
    await unlock().catch((error: unknown) => log.warn({ reason: String(error) }, 'lock: release failed'));
  };
  return { close, [Symbol.asyncDispose]: close };
};
