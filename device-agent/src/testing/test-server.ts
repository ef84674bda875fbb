import { createServer, type Server, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { freePort } from '@roastery/stack/ports';
import { probeMessageShape, type ProbeMessage } from '@roastery/contract/probe';
import {
  entryCount,
  journalBatchShape,
  liveReadingShape,
  parseTopic,
  statusShape,
  topicOf,
  type Ack,
  type DeviceStatus,
  type JournalBatch,
  type LiveReading,
} from '@roastery/contract/mqtt';
import { Aedes, type AedesPublishPacket } from 'aedes';

/**
 * A real broker with a server behind it that commits batches in memory and acknowledges them, as the api does. It checks
 * every payload against the contract.
 */
export const startTestServer = async (serialNumber: string) => {
  let broker: Aedes | undefined;
  let tcp: Server | undefined;
  // Reserved: while it does not listen, no other test gets the port.
  const port = await freePort();
  const sockets = new Set<Socket>();
  const batches: JournalBatch[] = [];
  /** How often each entry arrived, by `epoch/seq`. */
  const committed = new Map<string, unknown>();
  const arrivals: number[] = [];
  const live: LiveReading[] = [];
  const statuses: DeviceStatus[] = [];
  const probed: ProbeMessage[] = [];
  /** User names of refused attempts. */
  const refusals: string[] = [];
  /** `user name:password` of each attempt to connect. */
  const logins: string[] = [];
  const server = {
    acknowledges: true,
    /** It merges acknowledgements until the board says that it leaves. */
    merges: false,
    accepts: true,
    zipped: 0,
    retained: new Map<string, Buffer>(),
  };
  const merged: Ack[] = [];

  const commit = (batch: JournalBatch): void => {
    for (let index = 0; index < entryCount(batch); index++) {
      const value =
        batch.k === 'samples'
          ? { mono: batch.mono + (batch.dt[index] ?? 0), values: batch.s.map((column) => column[index]) }
          : batch.ev[index]?.e;
      const key = `${batch.epoch}/${batch.seq + index}`;
      const before = committed.get(key);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(value))
        throw new Error(`${key} came with two contents`);
      committed.set(key, value);
      arrivals.push(batch.seq + index);
    }
  };
  const tell = (kind: 'ack' | 'config' | 'plan' | 'probe', message: object, retain = false): void => {
    const payload = JSON.stringify(message);
    const packet = { cmd: 'publish', qos: 1, dup: false, topic: topicOf(serialNumber, kind), payload, retain } as const;
    broker?.publish(packet, () => undefined);
  };
  const receive = (packet: AedesPublishPacket): void => {
    const kind = parseTopic(packet.topic)?.kind;
    const bytes = Buffer.from(packet.payload);
    const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    if (zipped) server.zipped += 1;
    const json: unknown = JSON.parse((zipped ? gunzipSync(bytes) : bytes).toString());
    if (kind === 'live') live.push(liveReadingShape.parse(json));
    if (kind === 'status') {
      const status = statusShape.parse(json);
      statuses.push(status);
      if (!status.online) for (const ack of merged.splice(0)) tell('ack', ack);
    }
    if (kind === 'probed') probed.push(probeMessageShape.parse(json));
    if (kind !== 'journal') return;
    const batch = journalBatchShape.parse(json);
    batches.push(batch);
    if (!server.acknowledges) return;
    commit(batch);
    const ack: Ack = { v: 1, epoch: batch.epoch, ranges: [[batch.seq, batch.seq + entryCount(batch) - 1]] };
    if (server.merges) merged.push(ack);
    else tell('ack', ack);
  };

  const listen = async (): Promise<void> => {
    const aedes = await Aedes.createBroker({ concurrency: 0 });
    aedes.authenticate = (_client, username, password, done) => {
      logins.push(`${username}:${String(password)}`);
      if (server.accepts) return done(null, true);
      refusals.push(username ?? '');
      done(Object.assign(new Error('refused'), { returnCode: 4 }), false);
    };
    aedes.on('publish', (packet, client) => {
      if (client || parseTopic(packet.topic)?.kind === 'status') receive(packet);
    });
    broker = aedes;
    tcp = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      aedes.handle(socket);
    });
    await new Promise<void>((resolve) => tcp?.listen(port, '127.0.0.1', resolve));
  };
  /** Ends like a killed broker: without messages to clients, and without any memory. */
  const kill = async (): Promise<void> => {
    for (const socket of sockets) socket.resetAndDestroy();
    await new Promise((resolve) => tcp?.close(resolve));
    await new Promise<void>((resolve) => (broker ? broker.close(resolve) : resolve()));
    broker = undefined;
  };
  /** Breaks all connections, as when a cable is unplugged; the broker itself continues. */
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  await listen();
  return Object.assign(server, {
    url: `mqtt://127.0.0.1:${port}`,
    batches,
    committed,
    arrivals,
    live,
    statuses,
    probed,
    refusals,
    logins,
    tell,
    kill,
    cut,
    listen,
  });
};
export type TestServer = Awaited<ReturnType<typeof startTestServer>>;
