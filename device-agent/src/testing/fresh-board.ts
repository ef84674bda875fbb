import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { bootSystemd } from '@roastery/testing/real-systemd';
import { hurriedClock, repositoryRoot } from '@roastery/testing/shared-data';

/** The folder of the repository that a board of `bootSystemd` can read too. */
const shared = 'node_modules/.cache';

/** Forwards connections to a port of 127.0.0.1 to a socket file, inside the board. */
const forwarder = (port: number, socket: string): string =>
  `require("node:net").createServer((a) => { const b = require("node:net").connect(${JSON.stringify(socket)}); a.pipe(b).pipe(a); a.on("error", () => b.destroy()); b.on("error", () => a.destroy()); }).listen(${port}, "127.0.0.1")`;

/** Ends when a port inside the board is open. */
const waiter = (port: number): string =>
  `const ask = () => require("node:net").connect(${port}, "127.0.0.1").on("connect", () => process.exit()).on("error", () => setTimeout(ask, 50)); ask()`;

/** For the shell of a board: speeds up the clock of the agent that is installed next. */
export const hurryAgent = (factor: number): string => `mkdir -p /etc/systemd/system/roastery-agent.service.d
printf '[Service]\\nEnvironment=NODE_OPTIONS=${hurriedClock(factor, '/opt/roastery')}\\n' \
>/etc/systemd/system/roastery-agent.service.d/clock.conf`;

/**
 * A Debian root under its own systemd without Node.js, whose network has nothing but the given ports of this computer,
 * under the same numbers. `cut` removes a port, `lead` connects it to another port of this computer.
 */
export const bootFreshBoard = async (name: string, ports: readonly number[]) => {
  const board = await bootSystemd();
  const servers: Server[] = [];
  const targets = new Map(ports.map((port) => [port, port]));
  const close = async (): Promise<void> => {
    for (const server of servers) server.close();
    await board.close();
    for (const port of ports) rmSync(join(repositoryRoot(), shared, `${name}-${port}.sock`), { force: true });
  };
  try {
    // A running program keeps its files.
    await board.must('cp /usr/bin/node /root/node');
    for (const port of ports) {
      const file = `${shared}/${name}-${port}.sock`;
      rmSync(join(repositoryRoot(), file), { force: true });
      const server = createServer((inside) => {
        const target = targets.get(port);
        if (target === undefined) {
          inside.destroy();
          return;
        }
        const outside = connect(target, '127.0.0.1');
        inside.pipe(outside).pipe(inside);
        inside.on('error', () => outside.destroy());
        outside.on('error', () => inside.destroy());
      });
      servers.push(server);
      await new Promise<void>((resolve) => {
        server.listen(join(repositoryRoot(), file), resolve);
      });
      const program = forwarder(port, `/opt/roastery/${file}`);
      await board.must(`systemd-run --quiet --unit=line-${port} /root/node -e '${program}'`);
    }
    // systemd-run answers before its program listens.
    for (const port of ports) await board.must(`timeout 30 /root/node -e '${waiter(port)}'`);
    // dpkg does not know the files of a removed package; thousands of them need not be deleted one by one.
    await board.must(
      "sed -i '/^Package: nodejs$/,/^$/d' /var/lib/dpkg/status; rm -f /var/lib/dpkg/info/nodejs.*; umount /usr/bin/node 2>/dev/null; rm -f /usr/bin/node; ! command -v node",
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...board,
    cut: (port: number) => targets.delete(port),
    lead: (port: number, target = port) => targets.set(port, target),
    close,
    [Symbol.asyncDispose]: close,
  };
};
export type FreshBoard = Awaited<ReturnType<typeof bootFreshBoard>>;
