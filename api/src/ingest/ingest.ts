import type { Clock } from '@roastery/runtime/clock';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type MqttChannel, subscribeAll, wholeShare } from '../broker/channel.ts';
import type { Message } from '../broker/plain-messages.ts';
import { rememberingLink } from '../broker/retained.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { followStatuses } from '../domains/devices/follow-statuses.ts';
import { followConfigs } from '../domains/machine-maps/clear-retained.ts';
import { followPlans } from '../domains/planned/follow-plans.ts';
import type { Health } from '../http/server-context.ts';
import { createAcknowledgements } from './acknowledgements.ts';
import { BoardPlaces } from './board-places.ts';
import { type BatchWriterOptions, BatchWriter, type IngestProgress } from './batch-writer.ts';
import type { Flushed } from './store-batch.ts';
import { type Instances, joinInstances } from './instances.ts';
import { ownedShare } from './owned-share.ts';
import { followOwnedMachines } from './owned-machines.ts';
import type { StoredBatch } from '../recordings/recordings.ts';
import { startSweeper } from './sweeper.ts';

/**
 * `last_seen_at` is compared with limits of a minute and more, so it need not be more precise than this. Machines of a
 * fleet that connected at the same time are updated at different times.
 */
const [minWriteMs, maxWriteMs] = [10_000, 25_000];

/** Updates `last_seen_at` of machines a few times a minute, all that are due in one statement. */
const createLastSeen = (sql: Database, log: Logger, { now }: Clock) => {
  const dueAt = new Map<string, number>();
  return {
    update(machineIds: readonly string[]): void {
      const time = now();
      const due = machineIds.filter((id) => time >= (dueAt.get(id) ?? 0)).sort();
      if (due.length === 0) return;
      for (const id of due) dueAt.set(id, time + minWriteMs + Math.random() * (maxWriteMs - minWriteMs));
      sql`
        UPDATE machines SET last_seen_at = ${new Date(time)}
        WHERE id IN (SELECT id FROM machines WHERE id = ANY(${due}::uuid[]) ORDER BY id FOR NO KEY UPDATE)
          AND (last_seen_at IS NULL OR last_seen_at < ${new Date(time)})`.catch((error: unknown) =>
        log.warn(loggable(error), 'last_seen_at not updated'),
      );
    },
  };
};

/** Metrics of ingest for operators. */
const createIngestMetrics = (registry: Registry, progress: () => IngestProgress, instances: Instances | undefined) => {
  const registers = [registry];
  const gauge = (name: string, help: string, value: (now: IngestProgress) => number): void => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(value(progress())) });
  };
  gauge(
    'ingest_waiting_bytes',
    'Journal messages that wait for their commit, bytes as received',
    (now) => now.queuedBytes,
  );
  gauge(
    'ingest_oldest_waiting_seconds',
    'Age of the oldest message that is not committed',
    (now) => now.oldestWaitingSeconds,
  );
  gauge(
    'ingest_last_commit_timestamp_seconds',
    'Time of the last commit of journal messages; 0: none since the start',
    ({ lastCommitAt }) => (lastCommitAt?.getTime() ?? 0) / 1000,
  );
  gauge(
    'ingest_parked_machines',
    'Machines whose messages could not be stored yet and are retried',
    (now) => now.parkedMachines,
  );
  if (instances !== undefined)
    gauge('ingest_instances', 'Instances that divide the journals, as this one knows', () => instances.count);
  return {
    messages: new Counter({
      name: 'ingest_messages_total',
      help: 'Journal messages received',
      registers,
    }),
    samples: new Counter({ name: 'ingest_samples_total', help: 'Samples committed that were new', registers }),
    events: new Counter({ name: 'ingest_events_total', help: 'Events committed that were new', registers }),
    quarantined: new Counter({ name: 'ingest_quarantined_total', help: 'Messages quarantined', registers }),
    quarantineDropped: new Counter({
      name: 'ingest_quarantine_dropped_total',
      help: 'Quarantined messages dropped, oldest first, because the quarantine is full',
      registers,
    }),
    conflicts: new Counter({
      name: 'ingest_conflicts_total',
      help: 'Sequence numbers claimed twice with different content; the first stands',
      registers,
    }),
    dropped: new Counter({
      name: 'ingest_dropped_total',
      help: 'Messages dropped without acknowledgement because the queue is full; boards resend them',
      registers,
    }),
    timeouts: new Counter({
      name: 'ingest_timeouts_total',
      help: 'Transactions that timed out in a statement or a lock',
      registers,
    }),
    flushSeconds: new Histogram({
      name: 'ingest_flush_seconds',
      help: 'Duration of one batch transaction',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
  };
};

export interface IngestContext {
  readonly sql: Database;
  readonly mqtt: MqttChannel;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Registry;
  readonly health: Health;
}

export interface IngestOptions extends Pick<BatchWriterOptions, 'flushDelayMs' | 'maxQueuedBytes'> {
  /**
   * Given where several instances divide the machines: each stores the journals of its own ones. A pool of one connection,
   * closed with ingest: a busy pool must not delay the sign of life of an instance. Otherwise every instance stores all
   * journals, which is safe: each recognises what another has stored.
   */
  readonly instancesDatabase?: Database | undefined;
  /** How long an acknowledgement may wait to be merged with the next ones; 0 in tests that wait for each. */
  readonly acknowledgeWithinMs?: number | undefined;
  /** Called after each commit with the batches that are stored now. */
  readonly onStored?: (stored: readonly StoredBatch[]) => void;
  /** Ends stale roasts and removes old samples; off in tests that check every row. Default on. */
  readonly sweep?: boolean;
}

export interface Ingest {
  /** False while Postgres can't be reached. */
  readonly isHealthy: boolean;
  progress(): IngestProgress;
  close(): Promise<void>;
}

/** Subscribes to the journals and statuses of all machines, or of its own ones, stores, and acknowledges after the commit. */
export const startIngest = (context: IngestContext, options: IngestOptions = {}): Ingest => {
  const { sql, mqtt, clock } = context;
  const log = context.log.child({ part: 'ingest' });
  const lastSeen = createLastSeen(sql, log, clock);
  const mayLog = createLogGate(60_000);
  const places = new BoardPlaces(mqtt);

  const sendAcknowledgements = (messages: readonly Message[]): void => {
    // QoS 0: a lost acknowledgement is repaired when the board sends again.
    if (!places.sendAll(messages) && mayLog('ack') !== undefined) log.warn('acknowledgements not sent');
  };
  const acknowledgements = createAcknowledgements(sendAcknowledgements, clock, options.acknowledgeWithinMs);
  const onCommitted = (committed: Flushed): void => {
    metrics.samples.inc(committed.samples);
    metrics.events.inc(committed.events);
    metrics.quarantined.inc(committed.quarantined);
    metrics.quarantineDropped.inc(committed.dropped);
    metrics.conflicts.inc(committed.conflicts);
    acknowledgements.add(committed.acknowledgements);
    lastSeen.update(committed.machineIds);
    options.onStored?.(committed.stored);
  };
  const writer = new BatchWriter({
    sql,
    log,
    clock,
    ...options,
    onCommitted,
    onFlush: (seconds) => metrics.flushSeconds.observe(seconds),
    onTimeout: () => metrics.timeouts.inc(),
    onDropped: () => {
      metrics.dropped.inc();
      const held = mayLog('dropped');
      if (held !== undefined) log.warn({ more: held }, 'message queue full');
    },
  });
  context.health.ingest = () => writer.progress();
  const { instancesDatabase } = options;
  const instances = instancesDatabase && joinInstances({ sql: instancesDatabase, links: mqtt.links, log });
  const owned = instances && followOwnedMachines({ sql, links: mqtt.links, log, instances });
  const subscribe = owned?.subscribe ?? subscribeAll(mqtt);
  const metrics = createIngestMetrics(context.metrics, () => writer.progress(), instances);

  // A board resends unacknowledged messages, so acknowledgements between broker and api would only double the packets.
  const unsubscribe = subscribe('journal', 0, (topic, payload, { link }) => {
    const serialNumber = places.heard(topic, link);
    if (serialNumber === undefined) return;
    metrics.messages.inc();
    writer.add({ topic, serialNumber, payload, receivedAtMs: clock.now() });
  });
  const onLeaving = (serialNumber: string, epoch: string): void => acknowledgements.leaves(serialNumber, epoch);
  const stopStatuses = followStatuses({ sql, mqtt, log, subscribe, onLeaving });
  const stopPublishing = mqtt.links.flatMap((link) => {
    const remembering = rememberingLink({ sql, log }, link);
    const share = instances === undefined ? wholeShare(remembering) : ownedShare(remembering, instances.at(link));
    return [
      followConfigs({ sql, mqtt, log }, link, share),
      followPlans({ sql, mqtt: link, log }, share),
      () => remembering.close(),
    ];
  });
  const sweeper = options.sweep === false ? undefined : startSweeper(sql, log, clock);

  return {
    get isHealthy() {
      return !writer.isOffline;
    },
    progress: () => writer.progress(),
    async close() {
      await owned?.leave();
      await stopStatuses();
      await Promise.all(stopPublishing.map((stop) => stop()));
      await sweeper?.close();
      unsubscribe();
      await owned?.close();
      await instancesDatabase?.end({ timeout: 2 });
      await writer.close().catch((error: unknown) => log.warn(loggable(error), 'ingest ended with an error'));
      acknowledgements.close();
    },
  };
};
