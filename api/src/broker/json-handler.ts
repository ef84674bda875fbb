import { parseTopic } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { z } from 'zod';
import type { MessageHandler, Origin } from './channel.ts';

export interface JsonMessage<S extends z.ZodType> {
  readonly shape: S;
  readonly maxBytes: number;
}

const logEveryMs = 60_000;

/**
 * Handles one kind of boards' messages: parses each. A message that is too long or invalid is logged, at most once a
 * minute for each machine, and skipped. An empty one (a retained message was cleared) is skipped.
 */
export const jsonHandler = <S extends z.ZodType>(
  log: Logger,
  { shape, maxBytes }: JsonMessage<S>,
  onMessage: (value: z.output<S>, serialNumber: string, origin: Origin) => void,
): MessageHandler => {
  const mayLog = createLogGate(logEveryMs);
  return (topic, payload, origin) => {
    const place = parseTopic(topic);
    if (place === undefined || payload.length === 0) return;
    const { serialNumber, kind } = place;
    const refuse = (reason: string): void => {
      const more = mayLog(serialNumber);
      if (more !== undefined) log.warn({ serialNumber, kind, reason, more }, 'mqtt message refused');
    };
    if (payload.length > maxBytes) return refuse(`longer than ${maxBytes} bytes`);
    const message = parseJson(shape, payload.toString('utf8'));
    if (message.success) onMessage(message.data, serialNumber, origin);
    else refuse(describeRefusal(message));
  };
};
