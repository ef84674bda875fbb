import { stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Link } from '@roastery/contract/machine-map';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { SerialPort } from 'serialport';

/** One open connection to a line, as a stream of bytes. */
export interface LinePort {
  write(bytes: Buffer): void;
  /** Closes at once; neither `data` nor `closed` follows. */
  close(): void;
}

export interface LineListener {
  data(bytes: Buffer): void;
  /** The line broke: a closed socket, or an adapter that was unplugged. */
  closed(): void;
}

export class LinkError extends Error {
  override readonly name = 'LinkError';
}

const openSocket = (
  { host, port }: Extract<Link, { kind: 'tcp' | 'rtu-over-tcp' }>,
  deadlineMs: number,
  listener: LineListener,
  clock: Clock,
): Promise<LinePort> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host, port, noDelay: true, keepAlive: true });
    const fail = (reason: string): void => {
      cancelDeadline();
      socket.destroy();
      reject(new LinkError(`${host}:${port} ${reason}`));
    };
    const cancelDeadline = clock.after(deadlineMs, () => fail(`did not answer within ${deadlineMs} ms`));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('connect', () => {
      cancelDeadline();
      socket.removeAllListeners('error');
      let open = true;
      const end = (): void => {
        if (open) listener.closed();
        open = false;
        socket.destroy();
      };
      socket.on('error', end).on('end', end).on('close', end);
      socket.on('data', (bytes: Buffer) => {
        if (open) listener.data(bytes);
      });
      resolve({
        write: (bytes) => void socket.write(bytes),
        close() {
          open = false;
          socket.destroy();
        },
      });
    });
  });

/** The system's error for an adapter that can't be opened, as an instruction. */
const serialTrouble = (path: string, error: Error): LinkError => {
  const message = error.message;
  if (/no such (file|device)|ENXIO|ENODEV/i.test(message))
    return new LinkError(`${path} does not exist: check that the serial adapter is plugged in`);
  if (/permission denied/i.test(message))
    return new LinkError(`${path} can't be opened by this user, who must be in the group dialout`);
  if (/lock port|busy|temporarily unavailable/i.test(message))
    return new LinkError(`${path} is in use by another program`);
  return new LinkError(`${path} can't be opened: ${message.replace(/^Error: /, '')}`);
};

type SerialLink = Extract<Link, { kind: 'rtu' | 'ascii' }>;

/** A map may name any path: what is no device, such as a file or a named pipe, is never opened. */
const checkDevice = async (path: string): Promise<void> => {
  const found = await stat(path).catch((error: Error) => {
    throw serialTrouble(path, error);
  });
  if (!found.isCharacterDevice()) throw new LinkError(`${path} is not a serial port`);
};

const openSerial = async (
  link: SerialLink,
  deadlineMs: number,
  listener: LineListener,
  clock: Clock,
): Promise<LinePort> => {
  await checkDevice(link.path);
  return openDevice(link, deadlineMs, listener, clock);
};

const openDevice = (link: SerialLink, deadlineMs: number, listener: LineListener, clock: Clock): Promise<LinePort> =>
  new Promise((resolve, reject) => {
    const { path, baud, dataBits, parity, stopBits } = link;
    const port = new SerialPort({ path, baudRate: baud, dataBits, parity, stopBits, autoOpen: false });
    let open = true;
    // Closing a port that is not open returns an error without new information.
    const close = (): void => {
      open = false;
      port.close(() => undefined);
    };
    const end = (): void => {
      if (open) listener.closed();
      close();
    };
    // Errors can occur at any time, also after a close: an unhandled one would end the process.
    port.on('error', end);
    const cancelDeadline = clock.after(deadlineMs, () => {
      open = false;
      reject(new LinkError(`${path} did not open within ${deadlineMs} ms`));
    });
    port.open((error) => {
      cancelDeadline();
      // It opened after its deadline, and would block the port for the next attempt.
      if (!open) return close();
      if (error) {
        open = false;
        return reject(serialTrouble(path, error));
      }
      port.on('close', end);
      port.on('data', (bytes: Buffer) => {
        if (open) listener.data(bytes);
      });
      resolve({
        write: (bytes) => void port.write(bytes),
        close,
      });
    });
  });

/** Opens the line. Rejects with a `LinkError` when it can't within `deadlineMs`. */
export const openLine = (
  link: Link,
  deadlineMs: number,
  listener: LineListener,
  clock: Clock = realClock,
): Promise<LinePort> =>
  link.kind === 'tcp' || link.kind === 'rtu-over-tcp'
    ? openSocket(link, deadlineMs, listener, clock)
    : openSerial(link, deadlineMs, listener, clock);
export type OpenLine = typeof openLine;
