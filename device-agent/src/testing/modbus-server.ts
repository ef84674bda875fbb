import { createServer, type Server, type Socket } from 'node:net';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { freePort } from '@roastery/stack/ports';

/** How a scripted unit answers one request: an answer (possibly with modified bytes), a delay, or nothing. */
export interface Behaviour {
  readonly delayMs?: number;
  readonly lost?: boolean;
  readonly twice?: boolean;
  readonly exception?: number;
  readonly close?: boolean;
  /** Modifies the frame, MBAP or CRC included. */
  garble?(frame: Buffer): Buffer;
}

export interface ScriptedRequest {
  readonly unit: number;
  readonly code: number;
  readonly start: number;
  readonly count: number;
}

/** The value at an address; bits are set if it is odd. */
export type Registers = (address: number, request: ScriptedRequest) => number;

export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  readonly requests: ScriptedRequest[];
  connections(): number;
  /** Closes all connections and stops listening; `listen` starts again on the same port. */
  hangUp(): Promise<void>;
  listen(): Promise<void>;
}

const crc16 = (bytes: Buffer): number => {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
};

const answerPdu = (request: ScriptedRequest, exception: number | undefined, registers: Registers): Buffer => {
  const { unit, code, start, count } = request;
  if (exception !== undefined) return Buffer.from([unit, code | 0x80, exception]);
  const places = Array.from({ length: count }, (_, index) => registers(start + index, request));
  if (code <= 2) {
    const bytes = Buffer.alloc(Math.ceil(count / 8));
    places.forEach((place, index) => {
      if (place % 2 === 1) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index % 8));
    });
    return Buffer.concat([Buffer.from([unit, code, bytes.length]), bytes]);
  }
  const body = Buffer.alloc(2 * count);
  places.forEach((place, index) => body.writeUInt16BE(place, 2 * index));
  return Buffer.concat([Buffer.from([unit, code, body.length]), body]);
};

/**
 * A Modbus server for faults: `tcp` frames answers with MBAP, `rtu` with a CRC, over a socket either way. Independent
 * of the library under test.
 */
export const startScriptedServer = async (
  framing: 'tcp' | 'rtu',
  behave: (request: ScriptedRequest) => Behaviour,
  registers: Registers,
  clock: Clock = realClock,
): Promise<ScriptedServer> => {
  const sockets = new Set<Socket>();
  const requests: ScriptedRequest[] = [];
  let connections = 0;
  const headBytes = framing === 'tcp' ? 6 : 0;
  const requestBytes = framing === 'tcp' ? 12 : 8;

  const answer = (socket: Socket, bytes: Buffer): void => {
    const pdu = bytes.subarray(headBytes);
    const request: ScriptedRequest = {
      unit: pdu.readUInt8(0),
      code: pdu.readUInt8(1),
      start: pdu.readUInt16BE(2),
      count: pdu.readUInt16BE(4),
    };
    requests.push(request);
    const behaviour = behave(request);
    if (behaviour.lost === true) return;
    if (behaviour.close === true) return void socket.destroy();
    const reply = answerPdu(request, behaviour.exception, registers);
    let frame: Buffer;
    if (framing === 'tcp') {
      const head = Buffer.from(bytes.subarray(0, 6));
      head.writeUInt16BE(reply.length, 4);
      frame = Buffer.concat([head, reply]);
    } else {
      const crc = Buffer.alloc(2);
      crc.writeUInt16LE(crc16(reply));
      frame = Buffer.concat([reply, crc]);
    }
    const sent = behaviour.garble?.(frame) ?? frame;
    const send = (): void => {
      if (socket.destroyed) return;
      socket.write(sent);
      if (behaviour.twice === true) socket.write(sent);
    };
    if (behaviour.delayMs === undefined) send();
    else clock.after(behaviour.delayMs, send);
  };

  const onConnection = (socket: Socket): void => {
    connections += 1;
    socket.setNoDelay();
    sockets.add(socket);
    let buffered = Buffer.alloc(0);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      buffered = Buffer.concat([buffered, data]);
      while (buffered.length >= requestBytes) {
        answer(socket, buffered.subarray(0, requestBytes));
        buffered = buffered.subarray(requestBytes);
      }
    });
  };
  let server: Server | undefined;
  // Reserved: while it does not listen, no other test gets the port.
  const port = await freePort();
  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer(onConnection).listen(port, '127.0.0.1', resolve);
    });
  const hangUp = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server?.close(() => resolve());
    });
  await listen();
  return { port, requests, connections: () => connections, hangUp, listen, [Symbol.asyncDispose]: hangUp };
};
