import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What an operator watches of ingest. */
export const createIngestMetrics = (registry: Registry, waitingBytes: () => number) => {
  const registers = [registry];
  const gauge = new Gauge({
    name: 'ingest_waiting_bytes',
    help: 'Journal messages that wait for their transaction',
    registers,
    collect() {
      gauge.set(waitingBytes());
    },
  });
  return {
    messages: new Counter({ name: 'ingest_messages_total', help: 'Journal messages received', registers }),
    samples: new Counter({ name: 'ingest_samples_total', help: 'Samples committed that were new', registers }),
    events: new Counter({ name: 'ingest_events_total', help: 'Events committed that were new', registers }),
    quarantined: new Counter({ name: 'ingest_quarantined_total', help: 'Messages put away with a reason', registers }),
    conflicts: new Counter({
      name: 'ingest_conflicts_total',
      help: 'Sequence numbers claimed twice with different content; the first stands',
      registers,
    }),
    dropped: new Counter({
      name: 'ingest_dropped_total',
      help: 'Messages let go unacknowledged because too many waited; boards send them again',
      registers,
    }),
    flushSeconds: new Histogram({
      name: 'ingest_flush_seconds',
      help: 'Duration of one gathered transaction',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
  };
};
