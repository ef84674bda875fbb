import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** When a connection breaks, from the client's view. */
export const cutMoments = [
  'before the request',
  'after the request',
  'before the answer',
  'within the answer',
] as const;
export type CutMoment = (typeof cutMoments)[number];

export interface PlannedCut {
  /** Part of the request line, `POST /api/v1/devices/pair`. */
  readonly of: string;
  readonly moment: CutMoment;
}

/** Bytes of an answer that still pass: the middle of its head. */
const passed = 40;

const isWhole = (request: Buffer): boolean => {
  const end = request.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(request.subarray(0, end).toString('latin1'))?.[1];
  if (length !== undefined) return request.length >= end + 4 + Number(length);
  const isChunked = /^transfer-encoding: chunked/im.test(request.subarray(0, end).toString('latin1'));
  return !isChunked || request.subarray(-5).toString('latin1') === '0\r\n\r\n';
};

/**
 * An HTTP proxy on a free port that breaks connections as planned: each planned cut applies to the next matching
 * request. Everything else passes unchanged.
 */
export const startCuttingProxy = async (targetPort: number) => {
  const planned: PlannedCut[] = [];
  const sockets = new Set<Socket>();
  let cuts = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    return socket;
  };
  const forward = (near: Socket, request: Buffer, moment: CutMoment | undefined): void => {
    const far = keep(connect(targetPort, '127.0.0.1'));
    // One request per connection, or a planned cut would miss later requests on the same one.
    const alone = Buffer.from(
      request.toString('latin1').replace(/^connection: keep-alive/im, 'Connection: close'),
      'latin1',
    );
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    const cut = (): void => {
      near.destroy();
      far.destroy();
    };
    if (moment === 'after the request') {
      far.write(alone, () => near.destroy());
      return;
    }
    far.write(alone);
    if (moment === undefined) {
      far.pipe(near);
      near.pipe(far);
      return;
    }
    far.once('data', (answer: Buffer) => {
      if (moment === 'before the answer') cut();
      else near.write(answer.subarray(0, passed), cut);
    });
  };
  const server = createServer((near) => {
    keep(near);
    let request = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      request = Buffer.concat([request, chunk]);
      const line = request.toString('latin1').split('\r\n')[0] ?? '';
      const place = planned.findIndex(({ of }) => line.includes(of));
      const moment = planned[place]?.moment;
      if (moment !== 'before the request' && !isWhole(request)) return;
      near.off('data', read);
      if (place >= 0) {
        planned.splice(place, 1);
        cuts += 1;
      }
      if (moment === 'before the request') near.destroy();
      else forward(near, request, moment);
    };
    near.on('data', read);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (cut: PlannedCut): unknown => planned.push(cut),
    /** How many connections were broken so far. */
    cuts: (): number => cuts,
    close,
    [Symbol.asyncDispose]: close,
  };
};
