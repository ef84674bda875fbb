import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { IngestProgress } from './batch-writer.ts';

/** Metrics of ingest for operators. */
export const createIngestMetrics = (registry: Registry, progress: () => IngestProgress) => {
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
  return {
    messages: new Counter({ name: 'ingest_messages_total', help: 'Journal messages received', registers }),
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
