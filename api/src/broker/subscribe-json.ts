import { parseTopic } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { z } from 'zod';
import type { MqttLink } from './link.ts';

export interface JsonTopic<S extends z.ZodType> {
  /** The topic of one machine, or the filter of all. */
  readonly filter: string;
  readonly qos: 0 | 1;
  readonly shape: S;
  readonly maxBytes: number;
}

const logEveryMs = 60_000;

/**
 * Subscribes to one kind of boards' messages and parses each. A message that is too long or invalid is logged, at most
 * once a minute for each machine, and skipped. An empty one (a retained message was cleared) is skipped. Returns a
 * function that unsubscribes.
 */
export const subscribeJson = <S extends z.ZodType>(
  { mqtt, log }: { readonly mqtt: MqttLink; readonly log: Logger },
  { filter, qos, shape, maxBytes }: JsonTopic<S>,
  onMessage: (value: z.output<S>, serialNumber: string) => void,
): (() => void) => {
  const mayLog = createLogGate(logEveryMs);
  return mqtt.subscribe(filter, qos, (topic, payload) => {
    const place = parseTopic(topic);
    if (place === undefined || payload.length === 0) return;
    const { serialNumber, kind } = place;
    const refuse = (reason: string): void => {
      const more = mayLog(serialNumber);
      if (more !== undefined) log.warn({ serialNumber, kind, reason, more }, 'mqtt message refused');
    };
    if (payload.length > maxBytes) return refuse(`longer than ${maxBytes} bytes`);
    const message = parseJson(shape, payload.toString('utf8'));
    if (message.success) onMessage(message.data, serialNumber);
    else refuse(describeRefusal(message));
  });
};
