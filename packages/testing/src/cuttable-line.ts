import { createServer, connect, type Server, type Socket } from 'node:net';
import { freePort } from '@roastery/stack/ports';

/**
 * A network connection to a port of this computer that can be cut and restored: while it is cut no request is answered. While it is
 * frozen, connections open and stay open, and bytes wait, as on a computer that hangs. Connections that are stranded stay open and
 * carry nothing any more, as after a router has restarted; new ones work.
 */
export const openCuttableLine = async (targetPort: number) => {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let isFrozen = false;
  let held: (() => void)[] = [];
  // Reserved: while the line is cut, no other test gets it.
  const port = await freePort();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // An end that breaks closes the other; the broken connection is what the test examines.
    socket.on('error', () => socket.destroy());
  };
  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      if (isFrozen) held.push(() => to.write(chunk));
      else if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    });
    from.on('end', () => to.end());
  };
  const mend = async (): Promise<void> => {
    const next = createServer((near) => {
      const far = connect(targetPort, '127.0.0.1');
      keep(near);
      keep(far);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      forward(near, far);
      forward(far, near);
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
  const freeze = (): void => void (isFrozen = true);
  const thaw = (): void => {
    isFrozen = false;
    for (const pass of held) pass();
    held = [];
  };
  const strand = (): void => {
    for (const socket of sockets) socket.pause().removeAllListeners('data');
  };
  await mend();
  return { port, cut, mend, freeze, thaw, strand, [Symbol.asyncDispose]: cut };
};
