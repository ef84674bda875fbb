import type { Link, RegisterTable } from '@roastery/contract/machine-map';
import { createBackoff, pause, type Backoff } from '@roastery/runtime/backoff';
import { openModbus, type ModbusClient } from './modbus-client.ts';

export interface BusRequest {
  readonly unit: number;
  readonly table: RegisterTable;
  readonly start: number;
  readonly count: number;
}

export type BusAnswer =
  /** Registers 0 to 65535, or bits as 0 and 1. */
  | { readonly kind: 'data'; readonly words: readonly number[] }
  /** The device refused: a valid answer, the line is fine. */
  | { readonly kind: 'exception'; readonly code: number }
  /** No valid answer. The connection is gone; this unit rests. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Not a byte from this unit, while others of the line answer: it rests, the connection stays. */
  | { readonly kind: 'silent'; readonly reason: string }
  /** Not asked: the line or the unit rests until its turn comes again. */
  | { readonly kind: 'resting'; readonly reason: string };

export interface BusTiming {
  readonly timeoutMs: number;
  /** Longer than the slowest late answer, so that none is taken for a new request's. */
  readonly quietMs: number;
  /** Pause between two requests. */
  readonly gapMs: number;
}

/**
 * Longest wait after the quiet time: with it, and a connection that is given up before TCP's third try (3 s), the machine
 * is read again within 5 s of its return.
 */
const longestBackoffMs = 2500;
const connectDeadlineMs = 1500;
/** After a late answer: an echo of it would follow at once, and be seen. */
const settleMs = 50;
/** Gateway codes of the Modbus specification: the unit behind it is dead, the gateway is not. */
const gatewayExceptions = new Set([0x0a, 0x0b]);

interface Rest {
  readonly backoff: Backoff;
  until: number;
  reason: string;
  /** How long the newest answer took that came too late, ms. */
  lateMs?: number;
}

/** The deadline passed. Whether bytes came in the meantime is another question. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const newRest = (): Rest => ({ backoff: createBackoff(200, longestBackoffMs), until: -Infinity, reason: '' });

/** One request on the wire. Settles whenever the library does, if ever. */
const ask = async ({ modbus }: ModbusClient, { unit, table, start, count }: BusRequest): Promise<number[]> => {
  modbus.setID(unit);
  if (table === 'coil' || table === 'discrete') {
    const reading = table === 'coil' ? modbus.readCoils(start, count) : modbus.readDiscreteInputs(start, count);
    const { data, buffer } = await reading;
    if (buffer.length !== Math.ceil(count / 8)) throw new Error('wrong length in the answer');
    return data.slice(0, count).map(Number);
  }
  const reading =
    table === 'holding' ? modbus.readHoldingRegisters(start, count) : modbus.readInputRegisters(start, count);
  const { data, buffer } = await reading;
  if (buffer.length !== 2 * count || data.length !== count) throw new Error('wrong length in the answer');
  return data;
};

/**
 * The one owner of a Modbus line. One request at a time, under our own deadline. Anything but a valid answer or a Modbus
 * exception means that bytes may still be on their way: the connection is thrown away, and a new one begins only after a
 * quiet time. A late answer ends that time early and keeps the connection: one request in flight has one answer, so the
 * line is clean. Only the unit that failed rests longer. A unit that is mute while its neighbours answer costs them nothing
 * but the deadline: its late answer carries its own number and can't pass for theirs.
 */
export const createBus = (link: Link, timing: BusTiming, now: () => number = () => performance.now()) => {
  let client: ModbusClient | undefined;
  let broken: ((reason: string) => void) | undefined;
  /** A request whose deadline passed, while its answer may still come. */
  let overdue: Promise<unknown> | undefined;
  let closed = false;
  let lastRequestAt = -Infinity;
  const line = newRest();
  /** Units that have answered on this connection since they last failed. */
  const answering = new Set<number>();
  const units = new Map<number, Rest>();
  const unitRest = (unit: number): Rest => {
    const known = units.get(unit) ?? newRest();
    units.set(unit, known);
    return known;
  };
  const putToRest = (rest: Rest, reason: string, quietMs: number): void => {
    rest.until = now() + quietMs + rest.backoff.nextMs();
    rest.reason = reason;
  };

  const discard = (): void => {
    client?.close();
    client = undefined;
    overdue = undefined;
    answering.clear();
  };

  const connect = async (): Promise<ModbusClient> => {
    let opened: ModbusClient | undefined;
    opened = await openModbus(link, connectDeadlineMs, () => {
      if (opened === undefined || client !== opened) return;
      discard();
      if (broken) broken('connection closed');
      else {
        line.until = Math.max(line.until, now() + timing.quietMs);
        line.reason = 'connection closed';
      }
    });
    return opened;
  };

  /** The library's promise under our deadline, and given up at once when the connection breaks. */
  const underDeadline = async <T>(request: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const givenUp = new Promise<never>((_, reject) => {
      broken = (reason) => reject(new Error(reason));
      timer = setTimeout(() => reject(new NoAnswer(`no answer within ${timing.timeoutMs} ms`)), timing.timeoutMs);
    });
    try {
      return await Promise.race([request, givenUp]);
    } finally {
      clearTimeout(timer);
      broken = undefined;
    }
  };

  const failed = (unit: number, reason: string): BusAnswer => {
    discard();
    line.until = now() + timing.quietMs;
    line.reason = reason;
    putToRest(unitRest(unit), reason, timing.quietMs);
    return { kind: 'failed', reason };
  };

  /** Listens through the quiet time; the late answer ends it, since nothing else can be on its way. */
  const overdueAt = (unit: number, askedAt: number, request: Promise<unknown>, reason: string): BusAnswer => {
    const rest = unitRest(unit);
    const says = rest.lateMs === undefined ? reason : `${reason}; one came after ${Math.round(rest.lateMs)} ms`;
    line.until = now() + timing.quietMs;
    line.reason = says;
    putToRest(rest, says, timing.quietMs);
    overdue = request;
    const came = (): void => {
      if (overdue !== request || client === undefined || client.strayBytes() > 0) return;
      overdue = undefined;
      rest.lateMs = now() - askedAt;
      rest.until = now() + settleMs;
      line.until = rest.until;
    };
    // A late answer that is damaged leaves the line to its quiet time.
    request.then(came, () => undefined);
    return { kind: 'failed', reason: says };
  };

  const silent = (unit: number, reason: string): BusAnswer => {
    putToRest(unitRest(unit), reason, timing.quietMs);
    return { kind: 'silent', reason };
  };

  return {
    /** Reads once. Callers wait for the answer before the next request; it never throws. */
    async read(request: BusRequest): Promise<BusAnswer> {
      const unit = unitRest(request.unit);
      if (now() < unit.until) return { kind: 'resting', reason: unit.reason };
      if (overdue) {
        if (now() < line.until) return { kind: 'resting', reason: line.reason };
        discard();
      }
      if (!client) {
        if (closed || now() < line.until) return { kind: 'resting', reason: line.reason };
        try {
          client = await connect();
          line.backoff.reset();
        } catch (error) {
          const reason = messageOf(error);
          putToRest(line, reason, 0);
          return { kind: 'failed', reason };
        }
      }
      const gap = lastRequestAt + timing.gapMs - now();
      if (gap > 0) await pause(gap);
      // The line may have broken during the pause.
      if (!client) return failed(request.unit, 'connection closed');
      if (client.strayBytes() > 0) return failed(request.unit, 'bytes that nobody asked for');
      lastRequestAt = now();
      const askedAt = lastRequestAt;
      const asked = ask(client, request);
      try {
        const words = await underDeadline(asked);
        unit.backoff.reset();
        answering.add(request.unit);
        return { kind: 'data', words };
      } catch (error) {
        const code = exceptionCode(error);
        if (code === undefined) {
          answering.delete(request.unit);
          const othersAnswer = answering.size > 0 && client !== undefined && client.strayBytes() === 0;
          if (error instanceof NoAnswer && othersAnswer) return silent(request.unit, error.message);
          if (error instanceof NoAnswer && client) return overdueAt(request.unit, askedAt, asked, error.message);
          return failed(request.unit, messageOf(error));
        }
        if (gatewayExceptions.has(code)) putToRest(unit, `gateway: unit ${request.unit} does not answer`, 0);
        else {
          unit.backoff.reset();
          answering.add(request.unit);
        }
        return { kind: 'exception', code };
      } finally {
        lastRequestAt = now();
      }
    },
    close(): void {
      closed = true;
      discard();
    },
  };
};
export type Bus = ReturnType<typeof createBus>;

/** The library's own timeouts and port errors are not instances of Error. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

const exceptionCode = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'modbusCode' in error && typeof error.modbusCode === 'number'
    ? error.modbusCode
    : undefined;
