// A separate program, started by `fleet-process.ts`: many boards in one process, each a socket that speaks MQTT and the
// journal protocol as the agent does: subscribe, status, one batch per second, or per minute between roasts, at a phase
// of its own, a live reading each second, no more than 32 batches in flight, reconnects with jittered backoff, a backlog
// in batches of up to 600 entries, and resends of unacknowledged entries. It shares the processor with what is measured:
// batch and reading are one write, packets are built and read without a library, and one timer serves all boards.
import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { clearTimeout, setInterval, setTimeout } from 'node:timers';
import { gzipSync } from 'node:zlib';
import { clientIdOf, maxBatchEntries, topicOf } from '@roastery/contract/mqtt';
import { overdueAfterMs } from '@roastery/device-agent/core/send-plan';
import { BrokerChoice } from '@roastery/device-agent/uplink/broker-choice';
import { LineWatch } from '@roastery/device-agent/uplink/line-watch';
import { createBackoff } from '@roastery/runtime/backoff';
import { realClock } from '@roastery/runtime/clock';
import { createFrameGuard, type Frame } from '@roastery/runtime/mqtt-frames';
import mqtt, { type Packet } from 'mqtt-packet';
import type { FleetPlan, FleetReport } from './fleet-process.ts';

const window = 32;
/** Batches in flight at first, and after one was overdue; each acknowledgement doubles them. */
const firstWindow = 8;
const probeWindow = 2;
const resendMs = 10_000;
/** A backlog below this is not compressed. */
const gzipFromBytes = 2_048;
const keepaliveSeconds = 60;
/** A connection that is not open so soon is given up: of the only broker, and of several in the first round and later. */
const [openMs, hastyOpenMs, patientOpenMs] = [30_000, 5_000, 10_000];
const secondMs = 1_000;
/** The journals are an hour old. */
const ageMs = 3_600_000;
/** Boards are due in turn within each second. */
const tickMs = 10;
/** Accepts all packets of a broker; only used to find where they begin. */
const limits = { maxBytesBeforeAuthentication: Infinity, maxPacketBytes: 2 ** 28 };
/** The received bytes of a socket are processed before the next one is read. */
const incoming = Buffer.allocUnsafe(64 * 1024);

/** The recording of a board for one second. */
interface Second {
  readonly seq: number;
  readonly cutAt: number;
}

/** Seconds that were sent together: one, or all waiting ones. */
interface Batch {
  readonly seconds: readonly [Second, ...Second[]];
  readonly sentAt: number;
}

const totals = { cut: 0, due: 0, acknowledged: 0, acknowledgements: 0, resent: 0, lostConnections: 0, refused: 0 };
let acknowledgedBoards = 0;
let isCutting = true;

/** A PUBLISH of QoS 0 with ASCII text, or of QoS 1 with a message id. */
const publishText = (topic: string, payload: string, messageId?: number): string => {
  const id = messageId === undefined ? '' : String.fromCharCode(messageId >> 8, messageId & 0xff);
  let left = 2 + topic.length + id.length + payload.length;
  let length = '';
  for (; left >= 0x80; left >>>= 7) length += String.fromCharCode((left & 0x7f) | 0x80);
  const kind = messageId === undefined ? '\x30' : '\x32';
  return `${kind}${length}${String.fromCharCode(left, topic.length >> 8, topic.length & 0xff)}${topic}${id}${payload}`;
};

interface Board {
  readonly isOpen: () => boolean;
  /** Once a second, with the time when it was due: a late second has its own time, and counts its delay. */
  readonly tick: (dueMs: number) => void;
}

/** @param place among the boards of its plan */
const startBoard = (serial: string, place: number, plan: FleetPlan): Board => {
  const epoch = randomBytes(8).toString('hex');
  const boot = randomUUID();
  const channels = Array.from({ length: plan.channels }, (_, n) => `channel_${n}`);
  const offsets = Array.from({ length: plan.samplesPerBatch }, (_, n) => Math.round((n * 1000) / plan.samplesPerBatch));
  const column = offsets.map((_, n) => 200 + n / 10);
  const head = `{"v":1,"epoch":"${epoch}","boot":"${boot}","synced":true,"k":"samples","map":{"id":"fleet","rev":1},"ch":${JSON.stringify(channels)},`;
  const oneSecond = `"dt":${JSON.stringify(offsets)},"s":${JSON.stringify(channels.map(() => column))},`;
  const topics = {
    journal: topicOf(serial, 'journal'),
    live: topicOf(serial, 'live'),
    status: topicOf(serial, 'status'),
  };
  const values = JSON.stringify(Object.fromEntries(channels.map((name) => [name, 200])));
  const backoff = createBackoff(500, 10_000);
  const urls = plan.brokers ?? [`mqtt://127.0.0.1:${plan.port}`];
  const choice = new BrokerChoice(serial);
  const watch = new LineWatch(realClock);
  /** Those that this round has not tried. */
  let untried: string[] = [];
  let isFirstRound = true;
  /** In this run of the board. */
  const connection = { run: Date.now(), count: 0 };
  const openWithinMs = (): number => (urls.length < 2 ? openMs : isFirstRound ? hastyOpenMs : patientOpenMs);
  const session = (): string => `${boot} ${connection.count}`.slice(-40);
  const sendEverySeconds = plan.sendEverySeconds ?? 1;
  /** Not to be sent yet. */
  let gathered: Second[] = [];
  /** The first gathering is shorter, so that from then on the same number of boards sends each second. */
  let secondsToSend = 1 + (place % sendEverySeconds);
  let waiting: Second[] = [];
  /** By the first sequence number. */
  const underWay = new Map<number, Batch>();
  /** With QoS 1: the sequence number of a message id. */
  const receipts = new Map<number, number>();
  let seq = 0;
  let socket: Socket | undefined;
  let isOpen = false;
  let allowed = firstWindow;
  let timesOverdue = 0;
  let isUnproven = false;
  let isHeard = false;
  let messageId = 1;
  const write = (packet: Packet): void => {
    if (socket && !socket.destroyed) socket.write(mqtt.generate(packet));
  };
  const nextId = (): number => (messageId = (messageId % 65_535) + 1);
  /** The first of the waiting seconds, and those that continue it, up to the limit of a batch. */
  const takeBatch = (now: number): Batch | undefined => {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const most = plan.isUsual === true ? 1 : Math.floor(maxBatchEntries / plan.samplesPerBatch);
    const gap = waiting.findIndex(({ seq }, n) => seq !== first.seq + n * plan.samplesPerBatch);
    const count = Math.min(most, gap < 0 ? waiting.length : gap);
    const more = waiting.slice(1, count);
    waiting = waiting.slice(count);
    return { seconds: [first, ...more], sentAt: now };
  };
  const readingsOf = ({ seconds }: Batch): string => {
    if (seconds.length === 1) return oneSecond;
    const times = seconds.flatMap(({ cutAt }) => offsets.map((ms) => Math.round(cutAt - seconds[0].cutAt) + ms));
    const values = seconds.flatMap(() => column);
    return `"dt":${JSON.stringify(times)},"s":${JSON.stringify(channels.map(() => values))},`;
  };
  const send = (batch: Batch): string => {
    const [{ seq: from, cutAt }] = batch.seconds;
    underWay.set(from, batch);
    // Monotonic times are those of this computer's clock: what is stored tells how long it took.
    const mono = Math.round(performance.timeOrigin + cutAt);
    const text = `${head}${readingsOf(batch)}"seq":${from},"t":${mono - ageMs},"mono":${mono}}`;
    const payload = text.length > gzipFromBytes && batch.seconds.length > 1 ? gzipSync(text).toString('latin1') : text;
    if (plan.isUsual !== true) return publishText(topics.journal, payload);
    const packet = publishText(topics.journal, payload, nextId());
    receipts.set(messageId, from);
    return packet;
  };
  /** Unacknowledged batches are sent again. */
  const takeBack = (batches: readonly Batch[]): void => {
    if (batches.length === 0) return;
    for (const { seconds } of batches) {
      underWay.delete(seconds[0].seq);
      waiting.push(...seconds);
    }
    waiting.sort((one, other) => one.seq - other.seq);
  };
  /** On the clock of the watch. */
  const oldestSentAt = (): number =>
    realClock.monotonic() - performance.now() + Math.min(...Array.from(underWay.values(), ({ sentAt }) => sentAt));
  /** Batches that may be sent now, followed by `more`. */
  const ship = (more = ''): void => {
    if (!isOpen) return;
    const now = performance.now();
    let packets = '';
    const overdueMs = overdueAfterMs(resendMs, timesOverdue, isUnproven);
    if ([...underWay.values()].some(({ sentAt }) => now - sentAt > overdueMs)) {
      timesOverdue += 1;
      allowed = probeWindow;
      totals.resent += underWay.size;
      takeBack([...underWay.values()]);
    }
    while (underWay.size < allowed) {
      const next = takeBatch(now);
      if (!next) break;
      packets += send(next);
    }
    packets += more;
    if (packets !== '' && socket && !socket.destroyed) socket.write(packets, 'latin1');
  };
  const complete = (seconds: number): void => {
    if (seconds === 0) return;
    timesOverdue = 0;
    isUnproven = false;
    totals.acknowledged += seconds * plan.samplesPerBatch;
    if (!isHeard) acknowledgedBoards += 1;
    isHeard = true;
  };
  const acknowledged = (ranges: readonly (readonly [number, number])[]): void => {
    watch.acknowledged();
    const isOpenStill = ({ seq: from }: Second): boolean =>
      !ranges.some(([first, last]) => first <= from && from + plan.samplesPerBatch - 1 <= last);
    for (const [from, { seconds, sentAt }] of underWay) {
      const [first, ...more] = seconds.filter(isOpenStill);
      const left = first === undefined ? 0 : 1 + more.length;
      if (left === seconds.length) continue;
      underWay.delete(from);
      if (first !== undefined) underWay.set(first.seq, { seconds: [first, ...more], sentAt });
      allowed = Math.min(window, allowed * 2);
      complete(seconds.length - left);
    }
    // Seconds that are to be sent again, and have arrived.
    const before = waiting.length;
    if (before > 0) waiting = waiting.filter(isOpenStill);
    complete(before - waiting.length);
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
      allowed = firstWindow;
      timesOverdue = 0;
      isUnproven = urls.length > 1;
      watch.connected();
      isFirstRound = true;
      const payload = JSON.stringify({ v: 1, online: true, session: session(), t: Date.now(), connection });
      const messageId = nextId();
      write({ cmd: 'publish', topic: topics.status, payload, qos: 1, retain: true, dup: false, messageId });
      ship();
    } else if (packet.cmd === 'puback' && packet.messageId !== undefined) {
      const seqOfReceipt = receipts.get(packet.messageId);
      receipts.delete(packet.messageId);
      const received = seqOfReceipt === undefined ? undefined : underWay.get(seqOfReceipt);
      if (received !== undefined) {
        const [{ seq: from }] = received.seconds;
        acknowledged([[from, from + received.seconds.length * plan.samplesPerBatch - 1]]);
      }
    } else if (packet.cmd === 'publish') {
      if (packet.qos === 1 && packet.messageId !== undefined) write({ cmd: 'puback', messageId: packet.messageId });
    }
  };
  const onMessage = (topic: string, payload: string): void => {
    if (!topic.endsWith('/ack')) return;
    totals.acknowledgements += 1;
    const ack = JSON.parse(payload) as { epoch: string; ranges: [number, number][] };
    if (ack.epoch === epoch) acknowledged(ack.ranges);
  };

  const open = (): void => {
    const parser = mqtt.parser({ protocolVersion: 4 });
    parser.on('packet', onPacket);
    parser.on('error', () => socket?.destroy());
    const guard = createFrameGuard(limits);
    guard.authenticated();
    const onBytes = (bytes: Buffer): void => {
      watch.heard();
      const frames: Frame[] = [];
      guard.inspect(bytes, frames);
      let parsed = 0;
      for (const { start, body, end } of frames) {
        if (start > parsed) parser.parse(Buffer.from(bytes.subarray(parsed, start)));
        parsed = end;
        const payloadAt = body + 2 + bytes.readUInt16BE(body);
        onMessage(bytes.toString('latin1', body + 2, payloadAt), bytes.toString('latin1', payloadAt, end));
      }
      // Copied: the bytes of the next socket use the same buffer.
      if (parsed < bytes.length) parser.parse(Buffer.from(bytes.subarray(parsed)));
    };
    const begunAt = performance.now();
    const onread = {
      buffer: incoming,
      callback: (count: number): boolean => {
        onBytes(incoming.subarray(0, count));
        return true;
      },
    };
    if (untried.length === 0) untried = choice.round(urls);
    const url = untried.shift() ?? '';
    const { hostname: host, port } = new URL(url);
    connection.count += 1;
    socket = connect({ host, port: Number(port), noDelay: true, onread });
    const giveUp = setTimeout(() => !isOpen && socket?.destroy(), openWithinMs());
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
          payload: Buffer.from(JSON.stringify({ v: 1, online: false, session: session(), t: Date.now(), connection })),
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
      takeBack([...underWay.values()]);
      choice.failed(url);
      if (wasOpen) untried = [];
      isFirstRound = wasOpen || (isFirstRound && untried.length > 0);
      if (untried.length > 0) open();
      else setTimeout(open, backoff.nextMs({ lastedMs: wasOpen ? performance.now() - begunAt : 0 }));
    });
  };

  const liveText = (): string =>
    publishText(
      topics.live,
      `{"v":1,"epoch":"${epoch}","seq":${seq - 1},"boot":"${boot}","t":${Date.now()},"mono":1,"values":${values},"roast":null,"phase":"idle"}`,
    );
  const release = (): void => {
    waiting.push(...gathered);
    totals.due += gathered.length * plan.samplesPerBatch;
    gathered = [];
    secondsToSend = sendEverySeconds;
  };
  const cut = (dueMs: number): void => {
    gathered.push({ seq, cutAt: dueMs });
    seq += plan.samplesPerBatch;
    totals.cut += plan.samplesPerBatch;
    secondsToSend -= 1;
    if (secondsToSend === 0) release();
    ship(isOpen ? liveText() : '');
  };
  open();
  let seconds = Math.floor(Math.random() * (keepaliveSeconds / 2));
  return {
    isOpen: () => isOpen,
    tick: (dueMs) => {
      seconds += 1;
      const verdict = urls.length > 1 && isOpen ? watch.look(oldestSentAt()) : undefined;
      if (verdict === 'ping') write({ cmd: 'pingreq' });
      else if (verdict !== undefined) socket?.destroy();
      if (isOpen && seconds % (keepaliveSeconds / 2) === 0) write({ cmd: 'pingreq' });
      if (plan.samplesPerBatch > 0 && isCutting) cut(dueMs);
      else {
        release();
        ship();
      }
    },
  };
};

const boards: Board[] = [];
/** By their phase within a second. */
const due = Array.from({ length: secondMs / tickMs }, (): Board[] => []);
let ticked = Math.floor(performance.now() / tickMs);
setInterval(() => {
  // Includes the ticks that a busy computer delayed.
  for (const now = Math.floor(performance.now() / tickMs); ticked < now; ticked++)
    for (const board of due[ticked % due.length] ?? []) board.tick(ticked * tickMs);
}, tickMs);

process.on('message', (message: FleetPlan | 'report' | 'stop-cutting') => {
  if (message === 'stop-cutting') isCutting = false;
  else if (message === 'report') {
    const open = boards.filter((board) => board.isOpen()).length;
    const report: FleetReport = { ...totals, open, acknowledgedBoards };
    process.send?.(report);
  } else
    for (const [place, serial] of message.serials.entries()) {
      const board = startBoard(serial, place, message);
      boards.push(board);
      due[Math.floor(Math.random() * due.length)]?.push(board);
    }
});
process.on('disconnect', () => process.exit());
