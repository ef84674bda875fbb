import { allMachines, parseTopic } from '@roastery/contract/mqtt';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { Registry } from 'prom-client';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import type { Health } from '../http/server-context.ts';
import { ackMessages } from './acknowledge.ts';
import type { Committed } from './commit-messages.ts';
import { followConfigs } from './configs.ts';
import { createGatherer, type GathererOptions, type IngestProgress } from './gatherer.ts';
import { createIngestMetrics } from './ingest-metrics.ts';
import { createHistories } from './histories.ts';
import { createLastSeen } from './last-seen.ts';
import { followPlans } from './plans.ts';
import { followStatuses } from './statuses.ts';
import { startSweeper } from './sweeper.ts';

export interface IngestContext {
  readonly sql: Database;
  readonly mqtt: MqttLink;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly health: Health;
}

export interface IngestOptions extends Pick<GathererOptions, 'gatherMs' | 'maxWaitingBytes'> {
  /**
   * Group of instances that divide the journals among them (`$share/<group>/…`), for brokers that can. Without it every
   * instance receives everything, which is safe: what one has stored, the other finds stored.
   */
  readonly sharedGroup?: string;
  /** Ends stale roasts and removes old samples; off in tests that watch every row. Default on. */
  readonly sweep?: boolean;
}

export interface Ingest {
  /** False while Postgres can't be reached. */
  readonly isHealthy: boolean;
  progress(): IngestProgress;
  close(): Promise<void>;
}

/** Subscribes to the journals and statuses of all machines, stores, and acknowledges after the commit. */
export const startIngest = (context: IngestContext, options: IngestOptions = {}): Ingest => {
  const { sql, mqtt } = context;
  const log = context.log.child({ part: 'ingest' });
  const lastSeen = createLastSeen(sql, log);
  const mayLog = createLogGate(60_000);

  const onCommitted = (committed: Committed): void => {
    metrics.samples.inc(committed.samples);
    metrics.events.inc(committed.events);
    metrics.quarantined.inc(committed.quarantined);
    metrics.quarantineDropped.inc(committed.dropped);
    metrics.conflicts.inc(committed.conflicts);
    for (const acknowledgement of committed.acknowledgements) {
      for (const { topic, payload } of ackMessages(acknowledgement)) {
        // Not awaited: a lost acknowledgement is repaired by the next, or when the board sends again.
        mqtt.publish(topic, payload, { qos: 1 }).catch((error: unknown) => {
          if (mayLog('ack') !== undefined) log.warn({ err: error }, 'acknowledgements could not be sent');
        });
      }
    }
    lastSeen.heardFrom(committed.machineIds);
  };
  const histories = createHistories({ sql, mqtt, log });
  const gatherer = createGatherer({
    sql,
    log,
    ...options,
    onCommitted,
    onFlush: (seconds) => metrics.flushSeconds.observe(seconds),
    onTimeout: () => metrics.timeouts.inc(),
    onDropped: () => {
      metrics.dropped.inc();
      const held = mayLog('dropped');
      if (held !== undefined) log.warn({ more: held }, 'too many messages wait; boards will send these again');
    },
  });
  context.health.ingest = () => gatherer.progress();
  const metrics = createIngestMetrics(context.metrics, () => gatherer.progress());

  const filter = allMachines('journal');
  const unsubscribe = mqtt.subscribe(
    options.sharedGroup === undefined ? filter : `$share/${options.sharedGroup}/${filter}`,
    1,
    (topic, payload) => {
      const place = parseTopic(topic);
      if (place?.kind !== 'journal') return;
      metrics.messages.inc();
      const { serialNumber } = place;
      gatherer.add({ topic, serialNumber, payload, receivedAtMs: Date.now() });
    },
  );
  const stopStatuses = followStatuses({ sql, mqtt, log }, (serial, status) => histories.heard(serial, status));
  const stopConfigs = followConfigs({ sql, mqtt, log });
  const stopPlans = followPlans({ sql, mqtt, log });
  const sweeper = options.sweep === false ? undefined : startSweeper(sql, log);

  return {
    get isHealthy() {
      return !gatherer.isAway;
    },
    progress: () => gatherer.progress(),
    async close() {
      unsubscribe();
      stopStatuses();
      stopConfigs();
      await stopPlans();
      await histories.close();
      await sweeper?.close();
      await gatherer.close().catch((error: unknown) => log.warn(loggable(error), 'ingest did not end cleanly'));
    },
  };
};
