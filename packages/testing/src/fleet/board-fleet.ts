// A separate program, started by `fleet-process.ts`: many boards in one process, each a socket that speaks MQTT and the
// journal protocol as the agent does: subscribe, status, one batch per second at a phase of its own, a live reading
// beside it, no more than 32 batches in flight, reconnects with jittered backoff, and resends of unacknowledged
// entries.
import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { clearTimeout, setInterval, setTimeout } from 'node:timers';
import { clientIdOf, topicOf } from '@roastery/contract/mqtt';
import { createBackoff } from '@roastery/runtime/backoff';
import mqtt, { type Packet } from 'mqtt-packet';
import type { FleetPlan, FleetReport } from './fleet-process.ts';

const window = 32;
const resendMs = 10_000;
const keepaliveSeconds = 60;

interface Batch {
  readonly seq: number;
  readonly cutAt: number;
  sentAt: number;
}

const totals = { cut: 0, acknowledged: 0, lostConnections: 0, refused: 0 };
let latencies: number[] = [];
let acknowledgedBoards = 0;

const startBoard = (serial: string, plan: FleetPlan): { isOpen: () => boolean } => {
  const epoch = randomBytes(8).toString('hex');
  const boot = randomUUID();
  const session = boot.slice(0, 8);
  const channels = Array.from({ length: plan.channels }, (_, n) => `channel_${n}`);
  const offsets = Array.from({ length: plan.samplesPerBatch }, (_, n) => Math.round((n * 1000) / plan.samplesPerBatch));
  const column = offsets.map((_, n) => 200 + n / 10);
  const head = `{"v":1,"epoch":"${epoch}","boot":"${boot}","synced":true,"k":"samples","map":{"id":"fleet","rev":1},"ch":${JSON.stringify(channels)},"dt":${JSON.stringify(offsets)},"s":${JSON.stringify(channels.map(() => column))},`;
  const topics = {
    journal: topicOf(serial, 'journal'),
    live: topicOf(serial, 'live'),
    status: topicOf(serial, 'status'),
  };
  const backoff = createBackoff(500, 10_000);
  const waiting: Batch[] = [];
  const underWay = new Map<number, Batch>();
  /** With QoS 1: the sequence number of a message id. */
  const receipts = new Map<number, number>();
  let seq = 0;
  let socket: Socket | undefined;
  let isOpen = false;
  let isHeard = false;
  let messageId = 1;

  const write = (packet: Packet): void => {
    if (socket && !socket.destroyed) socket.write(mqtt.generate(packet));
  };
  const nextId = (): number => (messageId = (messageId % 65_535) + 1);
  const publish = (topic: string, payload: string, qos: 0 | 1, retain = false): void => {
    const receipt = qos === 1 ? { messageId: nextId() } : {};
    write({ cmd: 'publish', topic, payload, qos, retain, dup: false, ...receipt });
  };
  const send = (batch: Batch, now: number): void => {
    batch.sentAt = now;
    underWay.set(batch.seq, batch);
    const mono = Math.round(batch.cutAt);
    const isUsual = plan.isUsual === true;
    publish(
      topics.journal,
      `${head}"seq":${batch.seq},"t":${plan.wallOffsetMs + mono},"mono":${mono}}`,
      isUsual ? 1 : 0,
    );
    if (isUsual) receipts.set(messageId, batch.seq);
  };
  const ship = (): void => {
    if (!isOpen) return;
    const now = performance.now();
    for (const batch of underWay.values()) if (now - batch.sentAt > resendMs) send(batch, now);
    while (underWay.size < window) {
      const next = waiting.shift();
      if (!next) return;
      send(next, now);
    }
  };
  const acknowledged = (ranges: readonly (readonly [number, number])[]): void => {
    const now = performance.now();
    for (const batch of underWay.values()) {
      const last = batch.seq + plan.samplesPerBatch - 1;
      if (!ranges.some(([from, to]) => from <= batch.seq && last <= to)) continue;
      underWay.delete(batch.seq);
      totals.acknowledged += plan.samplesPerBatch;
      latencies.push(now - batch.cutAt);
      if (!isHeard) acknowledgedBoards += 1;
      isHeard = true;
    }
    ship();
  };

  const onPacket = (packet: Packet): void => {
    if (packet.cmd === 'connack') {
      if (packet.returnCode !== 0) {
        totals.refused += 1;
        socket?.destroy();
        return;
      }
      const subscriptions = (['ack', 'config', 'plan', 'probe'] as const).map((kind) => ({
        topic: topicOf(serial, kind),
        qos: 1 as const,
      }));
      write({ cmd: 'subscribe', messageId: nextId(), subscriptions });
    } else if (packet.cmd === 'suback') {
      isOpen = true;
      publish(topics.status, JSON.stringify({ v: 1, online: true, session, t: Date.now() }), 1, true);
      ship();
    } else if (packet.cmd === 'puback' && packet.messageId !== undefined) {
      const seqOfReceipt = receipts.get(packet.messageId);
      receipts.delete(packet.messageId);
      if (seqOfReceipt !== undefined) acknowledged([[seqOfReceipt, seqOfReceipt + plan.samplesPerBatch - 1]]);
    } else if (packet.cmd === 'publish') {
      if (packet.qos === 1 && packet.messageId !== undefined) write({ cmd: 'puback', messageId: packet.messageId });
      if (!packet.topic.endsWith('/ack')) return;
      const ack = JSON.parse(packet.payload.toString()) as { epoch: string; ranges: [number, number][] };
      if (ack.epoch === epoch) acknowledged(ack.ranges);
    }
  };

  const open = (): void => {
    const parser = mqtt.parser({ protocolVersion: 4 });
    parser.on('packet', onPacket);
    parser.on('error', () => socket?.destroy());
    const begunAt = performance.now();
    socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
    const giveUp = setTimeout(() => !isOpen && socket?.destroy(), 30_000);
    socket.on('data', (bytes: Buffer) => parser.parse(bytes));
    socket.on('error', () => undefined);
    socket.once('connect', () =>
      write({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: clientIdOf(serial),
        username: serial,
        password: Buffer.from(serial),
        keepalive: keepaliveSeconds,
        will: {
          topic: topics.status,
          payload: Buffer.from(JSON.stringify({ v: 1, online: false, session, t: Date.now() })),
          qos: 1,
          retain: true,
        },
      }),
    );
    socket.once('close', () => {
      clearTimeout(giveUp);
      const wasOpen = isOpen;
      isOpen = false;
      if (isHeard) acknowledgedBoards -= 1;
      isHeard = false;
      if (wasOpen) totals.lostConnections += 1;
      waiting.unshift(...underWay.values());
      underWay.clear();
      setTimeout(open, backoff.nextMs({ lastedMs: wasOpen ? performance.now() - begunAt : 0 }));
    });
  };

  const cut = (): void => {
    waiting.push({ seq, cutAt: performance.now(), sentAt: 0 });
    seq += plan.samplesPerBatch;
    totals.cut += plan.samplesPerBatch;
    ship();
    const values = Object.fromEntries(channels.map((name) => [name, 200]));
    if (isOpen)
      publish(
        topics.live,
        JSON.stringify({ v: 1, epoch, seq: seq - 1, boot, t: Date.now(), mono: 1, values, roast: null, phase: 'idle' }),
        0,
      );
  };
  open();
  if (plan.samplesPerBatch > 0)
    setTimeout(() => setInterval(() => (isCutting ? cut() : ship()), 1000), Math.random() * 1000);
  setInterval(() => isOpen && write({ cmd: 'pingreq' }), (keepaliveSeconds * 1000) / 2);
  return { isOpen: () => isOpen };
};

let isCutting = true;
const boards: { isOpen: () => boolean }[] = [];
process.on('message', (message: FleetPlan | 'report' | 'stop-cutting') => {
  if (message === 'stop-cutting') isCutting = false;
  else if (message === 'report') {
    const open = boards.filter((board) => board.isOpen()).length;
    const report: FleetReport = { ...totals, open, acknowledgedBoards, latenciesMs: latencies };
    latencies = [];
    process.send?.(report);
  } else for (const serial of message.serials) boards.push(startBoard(serial, message));
});
process.on('disconnect', () => process.exit());
