import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Two pseudo terminals connected like the ends of a cable. Node can't create them, Python's standard library can. It also
 * names them, and removes the names when its input ends, which includes that this process was killed.
 */
const program = `
import os, pty, select, sys, termios, time, tty
per_second, minds_speed, ends = float(sys.argv[1]), sys.argv[2] == "true", sys.argv[3:5]
masters, names, keep = [], [], []
for _ in range(2):
    master, slave = pty.openpty()
    tty.setraw(slave)
    masters.append(master); names.append(os.ttyname(slave)); keep.append(slave)
def drop():
    for end in ends:
        if os.path.lexists(end): os.unlink(end)
drop()
for name, end in zip(names, ends): os.symlink(name, end)
print("laid", flush=True)
def speed(slave):
    mode = termios.tcgetattr(slave)
    return mode[4], mode[5], mode[2] & termios.PARODD
# What is on its way: [when it has arrived, to which end, bytes]. A line carries one character after the other.
under_way, free_at = [], [0.0, 0.0]
while True:
    now = time.monotonic()
    wait = max(0, under_way[0][0] - now) if under_way else None
    ready, _, _ = select.select(masters + [0], [], [], wait)
    now = time.monotonic()
    if 0 in ready and not os.read(0, 1):
        drop()
        sys.exit(0)
    for end in ready:
        if end == 0: continue
        other, data = 1 - masters.index(end), os.read(end, 4096)
        # An end that listens at another speed hears other characters, and another number of them.
        if minds_speed and speed(keep[0]) != speed(keep[1]): data = bytes(byte ^ 0x5a for byte in data[::2])
        free_at[other] = max(now, free_at[other]) + (len(data) / per_second if per_second else 0)
        under_way.append([free_at[other], other, data])
    under_way.sort(key=lambda item: item[0])
    while under_way and under_way[0][0] <= time.monotonic():
        _, other, data = under_way.pop(0)
        os.write(masters[other], data)
`;

/** Whether a cable can be created here at all. */
export const hasSerialCables = (): boolean => spawnSync('python3', ['-c', 'import pty, tty']).status === 0;

export interface SerialCable extends AsyncDisposable {
  /** Paths of its two ends. */
  readonly ends: readonly [string, string];
}

export interface CableOptions {
  /**
   * Names for its ends that stay the same when it is created again, as in /dev/serial/by-id. Default: names of its own.
   */
  readonly names?: readonly [string, string];
  /** Its speed: a pseudo terminal ignores the baud rate. 9600 baud, 8N1 are 960. Default: at once. */
  readonly charactersPerSecond?: number;
  /**
   * Ends that were opened with different baud rates, or one of them with odd parity, receive noise from each other, as
   * on a wire. The kernel stores both settings of a pseudo terminal; it does not distinguish even parity from none, so
   * these count as equal.
   */
  readonly mindsSpeed?: boolean;
}

/** The kernel reuses the name of a pseudo terminal: an attempt to open a removed end must not find another test's. */
const ownNames = (): readonly [string, string] => {
  const name = join(tmpdir(), `cable-${randomUUID()}`);
  return [`${name}-a`, `${name}-b`];
};

/** Creates a serial cable between two devices of this machine; without `hasSerialCables()` it rejects. */
export const laySerialCable = async ({
  names: ends = ownNames(),
  charactersPerSecond = 0,
  mindsSpeed = false,
}: CableOptions = {}): Promise<SerialCable> => {
  const python = spawn('python3', ['-c', program, String(charactersPerSecond), String(mindsSpeed), ...ends], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(createInterface({ input: python.stdout }), 'line'),
    once(python, 'exit').then(([code]) => Promise.reject(new Error(`no pseudo terminals: exit code ${String(code)}`))),
  ]);
  return {
    ends,
    async [Symbol.asyncDispose]() {
      if (python.exitCode !== null) throw new Error('the cable ended by itself');
      const gone = once(python, 'exit');
      python.stdin.end();
      await gone;
    },
  };
};
