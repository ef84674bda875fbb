import { EventEmitter } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { Link } from '@roastery/contract/machine-map';
import { pause } from '@roastery/runtime/backoff';
import modbusSerial from 'modbus-serial';
import type { ModbusRTU } from 'modbus-serial/ModbusRTU.js';

/**
 * One connection to a line of Modbus units through `modbus-serial`. We own the socket: the library's `destroy()` and a
 * closed socket leave its promises hanging, so deadlines and closing are ours.
 */
export interface ModbusClient {
  readonly modbus: ModbusRTU;
  /** Bytes that no request asked for: a late or doubled answer that would be taken for the next one. */
  strayBytes(): number;
  /** Closes at once. Requests that still run are not settled. */
  close(): void;
}

// CommonJS with `default` on it: seen from a module, the class is one level down.
const ModbusClass = modbusSerial.default;

/**
 * Parts of the library's ports that it keeps to itself: the receive buffer, which it never clears, and the serial port
 * below. So the version is pinned (8.0.25), and tests notice when they move.
 */
const portOf = (modbus: ModbusRTU): unknown => Reflect.get(modbus, '_port');
const strayBytesOf = (modbus: ModbusRTU): number => {
  const port = Object(portOf(modbus));
  // Serial ports and raw RTU keep it under the first name, TCP under the second.
  const buffer: unknown = Reflect.get(port, '_buffer') ?? Reflect.get(port, '_clientRcvData');
  return Buffer.isBuffer(buffer) ? buffer.length : 0;
};

/**
 * A serial adapter that is pulled out raises its error on objects where the library does not listen (ASCII), or listens
 * no more (after a close): unheard, it would end the process.
 */
const hearSerialErrors = (modbus: ModbusRTU, onClosed: () => void): void => {
  const port = portOf(modbus);
  for (const emitter of [port, Reflect.get(Object(port), '_client')]) {
    if (emitter instanceof EventEmitter) emitter.on('error', onClosed).on('close', onClosed);
  }
};

export class LinkError extends Error {
  override readonly name = 'LinkError';
}

const connectSocket = (host: string, port: number, deadlineMs: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, noDelay: true, keepAlive: true });
    const fail = (reason: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new LinkError(`${host}:${port} ${reason}`));
    };
    const timer = setTimeout(() => fail(`did not answer within ${deadlineMs} ms`), deadlineMs);
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error');
      // Its 'close' follows; the request that runs finds out by its deadline or through `onClosed`.
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
  });

const openOnSocket = async (
  link: Extract<Link, { kind: 'tcp' | 'rtu-over-tcp' }>,
  deadlineMs: number,
  onClosed: () => void,
): Promise<ModbusClient> => {
  const socket = await connectSocket(link.host, link.port, deadlineMs);
  const modbus = new ModbusClass();
  modbus.on('error', onClosed);
  if (link.kind === 'tcp') await modbus.linkTCP(socket, { port: link.port });
  else await modbus.linkTelnet(socket, { port: link.port });
  socket.once('close', onClosed);
  if (socket.destroyed) throw new LinkError(`${link.host}:${link.port} closed at once`);
  return { modbus, strayBytes: () => strayBytesOf(modbus), close: () => socket.destroy() };
};

/** What the operating system says when an adapter can't be opened, as what to do. */
const serialTrouble = (path: string, error: unknown): LinkError => {
  const said = error instanceof Error ? error.message : String(error);
  if (/no such (file|device)|ENXIO|ENODEV/i.test(said))
    return new LinkError(`${path} is not there: is the serial adapter plugged in?`);
  if (/permission denied/i.test(said))
    return new LinkError(`${path} may not be opened by this user, who must be in the group dialout`);
  if (/lock port|busy|temporarily unavailable/i.test(said))
    return new LinkError(`${path} is in use by another program`);
  return new LinkError(`${path} can't be opened: ${said.replace(/^Error: /, '')}`);
};

const openOnSerial = async (
  link: Extract<Link, { kind: 'rtu' | 'ascii' }>,
  deadlineMs: number,
  onClosed: () => void,
): Promise<ModbusClient> => {
  const modbus = new ModbusClass();
  modbus.on('error', onClosed);
  // Closing a port that is not open answers an error, which tells us nothing new.
  const close = (): void => modbus.close(() => undefined);
  const options = { baudRate: link.baud, dataBits: link.dataBits, parity: link.parity, stopBits: link.stopBits };
  const opening =
    link.kind === 'rtu' ? modbus.connectRTUBuffered(link.path, options) : modbus.connectAsciiSerial(link.path, options);
  hearSerialErrors(modbus, onClosed);
  const deadline = new AbortController();
  const openedInTime = opening.then(
    () => true,
    (error: unknown) => {
      throw serialTrouble(link.path, error);
    },
  );
  const inTime = await Promise.race([openedInTime, pause(deadlineMs, deadline.signal).then(() => false)]).finally(() =>
    deadline.abort(),
  );
  if (!inTime) {
    // It may still open one day, and would keep the port from the next attempt.
    opening.then(close, () => undefined);
    throw new LinkError(`${link.path} did not open within ${deadlineMs} ms`);
  }
  return { modbus, strayBytes: () => strayBytesOf(modbus), close };
};

/** Opens the line. Throws when it can't within `deadlineMs`; `onClosed` is called when it breaks later. */
export const openModbus = (link: Link, deadlineMs: number, onClosed: () => void): Promise<ModbusClient> =>
  link.kind === 'tcp' || link.kind === 'rtu-over-tcp'
    ? openOnSocket(link, deadlineMs, onClosed)
    : openOnSerial(link, deadlineMs, onClosed);
