import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Two pseudo terminals joined like the ends of a cable. Node has no way to make them, Python's standard library has. */
const program = `
import os, pty, select, sys, tty
masters, names, keep = [], [], []
for _ in range(2):
    master, slave = pty.openpty()
    tty.setraw(slave)
    masters.append(master); names.append(os.ttyname(slave)); keep.append(slave)
print(" ".join(names), flush=True)
while True:
    ready, _, _ = select.select(masters + [0], [], [])
    if 0 in ready and not os.read(0, 1): sys.exit(0)
    for end in ready:
        if end != 0: os.write(masters[1 - masters.index(end)], os.read(end, 4096))
`;

/** Whether a cable can be laid here at all. */
export const hasSerialCables = (): boolean => spawnSync('python3', ['-c', 'import pty, tty']).status === 0;

export interface SerialCable extends AsyncDisposable {
  /** Paths of its two ends. */
  readonly ends: readonly [string, string];
}

/** Lays a serial cable between two devices of this machine; without `hasSerialCables()` it rejects. */
export const laySerialCable = async (): Promise<SerialCable> => {
  const python = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: python.stdout }), 'line')) as [string];
  const [one, other] = line.split(' ');
  if (one === undefined || other === undefined) throw new Error(`no pseudo terminals: ${line}`);
  return {
    ends: [one, other],
    async [Symbol.asyncDispose]() {
      python.stdin.end();
      await once(python, 'exit');
    },
  };
};
