import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkShape, machineMapShape } from '@roastery/contract/machine-map';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { startSimulator } from '@roastery/simulator/simulator';
import { hasSerialCables, laySerialCable } from '@roastery/testing/serial-cable';
import { describe, expect, it } from 'vitest';
import { runWizard } from './wizard.ts';

const hasCables = hasSerialCables();
const skipped = hasCables ? '' : ' (skipped: needs python3 to make a pair of pseudo terminals)';

/** A machine of units 3 and 5 at the far end of a cable that transmits only noise at any other speed. */
const startMachine = async (baud: number, parity: 'none' | 'odd' = 'none') => {
  const cable = await laySerialCable({ mindsSpeed: true });
  const [far, path] = cable.ends;
  const demo = demoRoasterMap({ link: linkShape.parse({ kind: 'rtu', path: far, baud, parity }) });
  const map = machineMapShape.parse({ ...demo, unit: 3, channels: { ...demo.channels, spare: { at: '5/h:2' } } });
  const simulator = await startSimulator({ map, model: { start: 'preheat', autoCharge: false } });
  const folder = await mkdtemp(join(tmpdir(), 'probe-serial-'));
  return {
    simulator,
    path,
    folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      await simulator.close();
      await cable[Symbol.asyncDispose]();
    },
  };
};

const program = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));

/** The command without a terminal to answer its prompts: its output and exit code. */
const probe = async (...options: string[]) => {
  const child = spawn(process.execPath, [program, 'probe', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A search takes 20 s: a message then has its output so far.
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += String(bytes)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
};

// The limits of a pair of pseudo terminals: the search accepts only right answers, and skips speeds and odd parity at
// which it receives noise. Voltages, even parity and stop bits cannot be simulated.
// Real time is the subject: the search recognises a speed by an answer of the machine within 250 ms, and a real serial
// port has no other clock. Measured: 5 to 20 ms.
describe.skipIf(!hasCables)(`the probe on a serial line${skipped}`, () => {
  it.concurrent('finds unknown speed and units, with coils and discrete inputs, and only reads', async () => {
    await using machine = await startMachine(19_200);
    const { simulator, path, folder } = machine;
    const found = ['--serial', path, '--config-dir', folder, '--find', '--tables', 'i,c,d', '--count', '12'];
    const { code, said } = await probe(...found, '--seconds', '1.5');
    expect(said).toMatch(/Answers: rtu \S+ 19200 baud, \w+ parity, unit 3, 5/);
    expect(said).toMatch(/9600 baud, no parity, unit 3/);
    // The bean temperature of a machine in preheat, and its three signals.
    expect(said).toMatch(/3\/i:0|\si:0 /);
    expect(said).toMatch(/\sd:0\s+0\s+0/);
    expect(code, said).toBe(0);
    expect(simulator.state().functions).toEqual(expect.arrayContaining([2, 3, 4]));
    expect(Math.max(...simulator.state().functions), 'functions that were asked for').toBeLessThan(5);
  });

  it.concurrent('creates a map with bean temperature and charge signal from a line of odd parity', async () => {
    await using machine = await startMachine(9600, 'odd');
    const { simulator, path, folder } = machine;
    const out = join(folder, 'map.json');
    let screen = '';
    let charged = false;
    const rowOf = (place: string): string => {
      const table = screen.slice(screen.lastIndexOf('    #  '));
      return new RegExp(`^\\s*(\\d+)  ${place}\\s`, 'm').exec(table)?.[1] ?? 'none';
    };
    const code = await runWizard({
      link: linkShape.parse({ kind: 'rtu', path, baud: 9600, parity: 'odd' }),
      wish: { units: [3], tables: ['input', 'discrete'], from: 0, count: 8, usual_places: false },
      find: false,
      watchSeconds: 1.5,
      shown: undefined,
      base: undefined,
      out,
      signal: new AbortController().signal,
      proofSeconds: 0.5,
      terminal: {
        interactive: true,
        write: (text) => void (screen += text),
        ask(question) {
          screen += question;
          if (question.includes('the bean temperature')) return Promise.resolve(rowOf('i:0'));
          if (question.includes('up at the charge')) {
            if (!charged) setTimeout(() => simulator.charge(), 200);
            charged = true;
            // On a busy computer the charge may happen after this watch.
            return Promise.resolve(/\sd:0\s+1\s+1\s/.test(screen) ? rowOf('d:0') : 'w');
          }
          return Promise.resolve(question.includes('Write it') ? 'yes' : '');
        },
      },
    });
    expect(code, screen).toBe(0);
    expect(screen).toMatch(/\sd:0\s+1\s+1\s/);
    expect(screen).toMatch(/\+ charge: d:0/);
    const map = machineMapShape.parse(JSON.parse(await readFile(out, 'utf8')));
    expect(map).toMatchObject({
      link: { kind: 'rtu', path, baud: 9600, parity: 'odd' },
      unit: 3,
      channels: { bean_temp: { at: 'i:0' } },
      events: { charge: { when: 'd:0' } },
    });
    expect(Math.max(...simulator.state().functions)).toBeLessThan(5);
  });
});
