import { topicKinds, type TopicKind } from '@roastery/contract/mqtt';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { SocketCount } from './admission.ts';
import type { Connections } from './connections.ts';
import { refusalReasons, type RefusalReason } from './refusals.ts';

/** Counters and gauges of one broker in its own registry. prom-client's defaults add event loop lag, RSS and CPU. */
export const createMetrics = () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name: `roastery_broker_${name}`, help, labelNames: [...labelNames], registers: [registry] });

  type Set = (labels: Record<string, string>, value: number) => void;
  const gauge = (name: string, help: string, labelNames: string[], collect: (set: Set) => void): void => {
    const metric: Gauge = new Gauge({
      name: `roastery_broker_${name}`,
      help,
      labelNames,
      registers: [],
      collect: () => collect((labels, value) => metric.set(labels, value)),
    });
    registry.registerMetric(metric);
  };

  const refused = counter('refused_total', 'Connections and requests refused, by reason', ['reason']);
  for (const reason of refusalReasons) refused.inc({ reason }, 0);

  /** Counts messages. Labels are added on each scrape: looking them up costs more than forwarding a message. */
  const byKind = (name: string, help: string): ((kind: TopicKind | undefined) => void) => {
    const counts = new Map<TopicKind | undefined, number>([...topicKinds, undefined].map((kind) => [kind, 0]));
    const metric: Counter<'kind'> = new Counter({
      name: `roastery_broker_${name}`,
      help,
      labelNames: ['kind'],
      registers: [registry],
      collect: () => {
        metric.reset();
        for (const [kind, count] of counts) metric.inc({ kind: kind ?? 'other' }, count);
      },
    });
    return (kind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  const admissions = counter('admissions_total', 'Credentials accepted, by source of the answer', ['by']);
  const denials = counter('denials_total', 'Credentials refused, by source of the answer', ['by']);
  const retainCleared = counter('retain_cleared_total', 'Retain flags removed from messages that must not be retained');
  const throttled = counter(
    'throttled_total',
    'Times a client was read more slowly because it exceeded its rate limit',
  );

  return {
    registry,
    retainCleared,
    throttled,
    refused: (reason: RefusalReason): void => refused.inc({ reason }),
    messageIn: byKind('messages_in_total', 'Messages published by clients'),
    messageOut: byKind('messages_out_total', 'Messages sent to subscribers'),
    admitted: (by: string): void => admissions.inc({ by }),
    denied: (by: string): void => denials.inc({ by }),
    /** Gauges that are computed on each scrape and cost nothing otherwise. */
    watch(connections: Connections, sockets: SocketCount): void {
      gauge('connections', 'Open connections by listener and state', ['listener', 'state'], (set) => {
        const counts = new Map<string, number>();
        for (const { listener, principal } of connections.open) {
          const key = `${listener} ${principal?.kind ?? 'opening'}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        for (const listener of ['tcp', 'tls', 'ws']) {
          for (const state of ['opening', 'device', 'service']) {
            set({ listener, state }, counts.get(`${listener} ${state}`) ?? 0);
          }
        }
      });
      gauge('sockets', 'Open sockets, including unfinished handshakes', [], (set) => set({}, sockets.total()));
      gauge('bytes', 'Bytes transferred since the start, by direction', ['direction'], (set) => {
        const bytes = connections.bytes();
        set({ direction: 'in' }, bytes.in);
        set({ direction: 'out' }, bytes.out);
      });
    },
  };
};
export type Metrics = ReturnType<typeof createMetrics>;
