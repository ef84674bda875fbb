import { deviceSelf, deviceSelfShape, type MqttLogin } from '@roastery/contract/devices';
import { apiBasePath } from '@roastery/contract/endpoint';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { ackShape, clientIdOf, entryCount, topicOf, type JournalBatch } from '@roastery/contract/mqtt';
import { parseJson, parseOrThrow } from '@roastery/contract/parse-shape';
import { uuidV7 } from '@roastery/runtime/uuid';
import { connectAsync } from 'mqtt';
import { createJournalBoard } from './journal-board.ts';

/** The login that the api gives a board instead of its token, if any. */
export const askLogin = async (
  apiUrl: string,
  { serial_number: serial, auth_token: token }: Pick<RegisteredMachine, 'serial_number' | 'auth_token'>,
): Promise<MqttLogin | undefined> => {
  const headers = { authorization: `Bearer ${token}`, 'x-machine-serial': serial };
  const answer = await fetch(`${apiUrl}${apiBasePath}${deviceSelf.path}`, { headers });
  return parseOrThrow(deviceSelfShape, await answer.json()).mqtt_login;
};

/**
 * A board in a roast that sends every tenth of a second, and resends unacknowledged entries after two seconds. It
 * forgets acknowledged entries, as if its disk were full.
 */
export const startSendingBoard = async (
  mqttUrl: string,
  { serial_number: serial, auth_token: token }: RegisteredMachine,
  login: MqttLogin = { username: serial, password: token },
) => {
  const board = createJournalBoard({ channels: ['bean_temp'] });
  const acknowledged = new Set<number>();
  const client = await connectAsync(mqttUrl, { ...login, clientId: clientIdOf(serial) });
  client.on('message', (_topic, payload) => {
    const { data: ack } = parseJson(ackShape, payload.toString());
    for (const [from, to] of ack?.ranges ?? []) for (let seq = from; seq <= to; seq++) acknowledged.add(seq);
  });
  await client.subscribeAsync(topicOf(serial, 'ack'));
  const roastId = uuidV7();
  const begun = Date.now();
  const at = (): number => 5000 + Date.now() - begun;
  const mark = (kind: 'charge' | 'drop'): void => {
    const place = { roast_id: roastId, at_seq: board.length - 1, at_mono: board.entries().at(-1)?.mono ?? 0 };
    board.event(at(), {
      type: 'mark',
      kind,
      ...place,
      temp: 200,
      origin: 'machine',
      confidence: 1,
      provisional: false,
    });
  };
  let isRoasting = true;
  let sent = 0;
  let published = 0;
  const isWaiting = (batch: JournalBatch): boolean => {
    for (let seq = batch.seq; seq < batch.seq + entryCount(batch); seq++) if (!acknowledged.has(seq)) return true;
    return false;
  };
  const publish = (from: number): void => {
    for (const batch of board.batches(() => 20, from))
      if (isWaiting(batch)) {
        client.publish(topicOf(serial, 'journal'), JSON.stringify(batch));
        published += 1;
      }
  };
  board.sample(at(), 200);
  board.event(at(), { type: 'roast', roast_id: roastId, state: 'in_progress' });
  mark('charge');
  const timers = [
    setInterval(() => {
      if (isRoasting) board.sample(at(), 150 + (board.length % 50));
      publish(sent);
      sent = board.length;
    }, 100),
    setInterval(() => publish(0), 2000),
  ];
  return {
    epoch: board.epoch,
    roastId,
    /** Keys of `readDelivered` of the samples that were acknowledged so far. */
    acknowledged: (): string[] =>
      [...acknowledged].flatMap((seq) => (board.entries()[seq]?.kind === 'sample' ? [`${board.epoch}/${seq}`] : [])),
    /** Journal messages, repeats included. */
    published: (): number => published,
    samples: (): string[] =>
      board.entries().flatMap(({ kind }, seq) => (kind === 'sample' ? [`${board.epoch}/${seq}`] : [])),
    end(): void {
      isRoasting = false;
      mark('drop');
      board.event(at(), { type: 'roast', roast_id: roastId, state: 'completed' });
    },
    isDelivered: (): boolean => acknowledged.size === board.length,
    async [Symbol.asyncDispose](): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await client.endAsync(true);
    },
  };
};
