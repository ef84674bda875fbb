import { ackShape, clientIdOf, entryCount, topicOf, type JournalBatch } from '@roastery/contract/mqtt';
import { connectAsync } from 'mqtt';
import { until } from './until.ts';

/**
 * Ships a board's batches through a broker as a board does, and resolves when the server has acknowledged all of them.
 * @throws when that takes longer than a minute
 */
export const shipJournal = async (
  mqttUrl: string,
  { serial, token }: { serial: string; token: string },
  batches: readonly JournalBatch[],
): Promise<void> => {
  const client = await connectAsync(mqttUrl, { clientId: clientIdOf(serial), username: serial, password: token });
  try {
    let ranges: readonly (readonly [number, number])[] = [];
    client.on('message', (_topic, payload) => {
      ranges = ackShape.parse(JSON.parse(payload.toString())).ranges;
    });
    await client.subscribeAsync(topicOf(serial, 'ack'), { qos: 1 });
    for (const batch of batches) {
      await client.publishAsync(topicOf(serial, 'journal'), JSON.stringify(batch), { qos: 1 });
    }
    const last = Math.max(...batches.map((batch) => batch.seq + entryCount(batch) - 1));
    await until(
      'the journal to be acknowledged',
      () => ranges.length === 1 && ranges.some(([from, to]) => from === 0 && to >= last),
      { timeoutMs: 60_000 },
    );
  } finally {
    await client.endAsync();
  }
};
