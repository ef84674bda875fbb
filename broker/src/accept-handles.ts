import { spawn } from 'node:child_process';
import { createServer, Server } from 'node:net';

/**
 * Program of a child process: sends the server that it receives back as often as it is to. Until then it listens too; its
 * clients connect again, as those who came before the broker listened. It ends with its parent, or it would keep the port.
 */
export const copier = `
  process.on('disconnect', () => process.exit());
  // Where handles wait in the channel, Node does not report that it is closed.
  process.stdin.on('close', () => process.exit()).resume();
  process.on('message', (count, server) => {
    server.on('connection', (socket) => socket.destroy());
    let left = count;
    const sent = () => {
      left -= 1;
      if (left === 0) server.close();
    };
    for (let copy = 0; copy < count; copy += 1) process.send('copy', server, { keepOpen: true }, sent);
  });
`;
const copierTimeoutMs = 5000;

/** The kernel limits it further (net.core.somaxconn). */
export const acceptBacklog = 16_384;

/**
 * Gives a listening server more handles, so that it accepts more connections in each turn of the event loop: libuv
 * accepts one for each handle (since 1.45, pull request 3696), and near full load a turn takes 30 ms. A further handle
 * is another descriptor of the same socket. Node makes one only by sending it to another process and back.
 *
 * @returns the servers of the further handles. They pass their connections on to `server`; the caller closes them.
 * @throws when the child process fails; `server` then works as before.
 */
export const addAcceptHandles = (server: Server, count: number): Promise<Server[]> =>
  new Promise((resolve, reject) => {
    const added: Server[] = [];
    const child = spawn(process.execPath, ['--eval', copier], {
      env: {},
      stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
      timeout: copierTimeoutMs,
    });
    const fail = (error: Error): void => {
      for (const extra of added.splice(0)) extra.close();
      reject(error);
    };
    child.on('message', (_message, copy) => {
      if (!(copy instanceof Server)) return;
      const extra = createServer({ noDelay: true }, (socket) => server.emit('connection', socket));
      // It listens already, with a shorter queue.
      extra.listen(copy, acceptBacklog);
      added.push(extra);
      if (added.length === count) child.disconnect();
    });
    child.once('error', fail);
    // Also when the process has failed, after its last message.
    child.once('disconnect', () => {
      if (added.length === count) resolve(added);
      else fail(new Error(`copying the listening handle failed after ${added.length} of ${count} handles`));
    });
    child.send(count, server);
  });
