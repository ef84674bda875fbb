import { createServer, connect, type Server, type Socket } from 'node:net';
import { freePort } from '@roastery/stack/ports';

/**
 * A network connection to a port of this computer that can be cut and restored: while it is cut no request is answered.
 */
export const openCuttableLine = async (targetPort: number) => {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  // Reserved: while the line is cut, no other test gets it.
  const port = await freePort();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // An end that breaks closes the other; the broken connection is what the test examines.
    socket.on('error', () => socket.destroy());
  };
  const mend = async (): Promise<void> => {
    const next = createServer((near) => {
      const far = connect(targetPort, '127.0.0.1');
      keep(near);
      keep(far);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.pipe(far);
      far.pipe(near);
    });
    await new Promise<void>((resolve, reject) => {
      next.once('error', reject);
      next.listen(port, '127.0.0.1', resolve);
    });
    server = next;
  };
  const cut = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
  };
  await mend();
  return { port, cut, mend, [Symbol.asyncDispose]: cut };
};
