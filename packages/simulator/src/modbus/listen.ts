import { portOf } from '@roastery/runtime/system-errors';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Link } from '@roastery/contract/machine-map';
import { SerialPort } from 'serialport';
import { createAsciiFraming } from './ascii-framing.ts';
import { converse, type ConversationContext } from './conversation.ts';
import type { Framing } from './framing.ts';
import { createMbapFraming } from './mbap-framing.ts';
import { createRtuFraming } from './rtu-framing.ts';

export interface ModbusListener {
  /** The TCP port; undefined on a serial line. */
  readonly port: number | undefined;
  /** Closes every connection at once; new ones are still accepted. */
  hangUp(): void;
  close(): Promise<void>;
}

/** Accepts Modbus requests on a socket. Port 0 picks a free one. Rejects when the port is in use. */
export const listenOnSocket = async (
  kind: 'tcp' | 'rtu-over-tcp',
  host: string,
  port: number,
  context: ConversationContext,
): Promise<ModbusListener> => {
  const sockets = new Set<Socket>();
  const framing = (): Framing => (kind === 'tcp' ? createMbapFraming() : createRtuFraming());
  const server = createServer((socket) => {
    if (context.faults().refuseConnections) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    converse(socket, framing(), context);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: portOf(server),
    hangUp,
    async close() {
      const closed = once(server, 'close');
      server.close();
      hangUp();
      await closed;
    },
  };
};

/** Accepts Modbus RTU or ASCII requests on a serial line or pseudo terminal. Rejects when it cannot be opened. */
export const listenOnLine = async (
  link: Extract<Link, { kind: 'rtu' | 'ascii' }>,
  context: ConversationContext,
): Promise<ModbusListener> => {
  const line = new SerialPort({
    path: link.path,
    baudRate: link.baud,
    dataBits: link.dataBits,
    parity: link.parity,
    stopBits: link.stopBits,
    autoOpen: false,
  });
  await new Promise<void>((resolve, reject) => {
    line.open((error) => (error ? reject(error) : resolve()));
  });
  const end = converse(line, link.kind === 'rtu' ? createRtuFraming() : createAsciiFraming(), context);
  return {
    port: undefined,
    hangUp: end,
    async close() {
      end();
      if (!line.isOpen) return;
      await new Promise<void>((resolve, reject) => {
        line.close((error) => (error ? reject(error) : resolve()));
      });
    },
  };
};
