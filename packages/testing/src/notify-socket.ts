import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Node has no Unix datagram sockets, so Python replaces systemd here. */
export const canPlaySystemd = has('python3') && has('systemd-notify');

const receiver = `
import socket, sys, os, array
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
if len(sys.argv) > 2: os.chown(sys.argv[1], int(sys.argv[2]), -1); os.chmod(os.path.dirname(sys.argv[1]), 0o755)
print('listening', flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(s, 4096, 4)
    for fd in fds: os.close(fd)
    print(data.decode().replace(chr(10), ' '), flush=True)
`;

/**
 * The socket that systemd provides for a `Type=notify` service, also for another user, and every message that arrived
 * on it.
 */
export const openNotifySocket = async (user?: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'notify-'));
  const path = join(folder, 'notify');
  const python = spawn('python3', ['-c', receiver, path, ...(user === undefined ? [] : [String(user)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const messages: string[] = [];
  await new Promise<void>((resolve) => {
    python.stdout.on('data', (data) => {
      for (const line of String(data).split('\n').filter(Boolean)) {
        if (line === 'listening') resolve();
        else messages.push(line.trim());
      }
    });
  });
  return {
    path,
    messages,
    async [Symbol.asyncDispose]() {
      python.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
