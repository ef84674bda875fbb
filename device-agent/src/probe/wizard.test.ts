import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineMapShape } from '@roastery/contract/machine-map';
import { collectGarbage } from '@roastery/testing/held-memory';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer, type Behaviour } from '../testing/modbus-server.ts';
import { runWizard, type WizardParts } from './wizard.ts';

/** Beans at holding register 6 as i16 ÷10, exhaust as a float with swapped words at 20, a setting at 9. */
const startRoaster = async (behave: () => Behaviour = () => ({})) => {
  const float = new DataView(new ArrayBuffer(4));
  const clock = createVirtualClock();
  const began = clock.monotonic();
  const server = await startScriptedServer(
    'tcp',
    behave,
    (address) => {
      const minutes = (clock.monotonic() - began) / 1000;
      if (address === 6) return 1850 + Math.round(minutes * 12);
      if (address === 9) return 2000;
      if (address === 20 || address === 21) {
        float.setFloat32(0, 211.37 + minutes);
        return float.getUint16(address === 20 ? 2 : 0);
      }
      return 0;
    },
    clock,
  );
  const folder = await mkdtemp(join(tmpdir(), 'probe-wizard-'));
  onTestFinished(async () => {
    await server.hangUp();
    await rm(folder, { recursive: true, force: true });
  });
  const out = join(folder, 'machine-map.json');
  const begin = (terminal: WizardParts['terminal'], over: Partial<WizardParts> = {}): Promise<number> =>
    runWizard({
      link: { kind: 'tcp', host: '127.0.0.1', port: server.port },
      wish: { units: [1], tables: ['holding'], from: 0, count: 32, usual_places: false },
      find: false,
      watchSeconds: 2.2,
      shown: undefined,
      base: undefined,
      out,
      terminal,
      signal: new AbortController().signal,
      proofSeconds: 0.3,
      clock,
      ...over,
    });
  const walk = (...args: Parameters<typeof begin>): Promise<number> => clock.run(begin(...args));
  return { clock, server, out, begin, walk };
};

/** A person who answers each prompt by a rule, based on the text on the screen. */
const person = (answer: (question: string, screen: string) => string | undefined) => {
  let screen = '';
  return {
    screen: () => screen,
    interactive: true,
    write: (text: string) => void (screen += text),
    ask: (question: string) => {
      const said = answer(question, screen);
      screen += `${question}${said ?? ''}\n`;
      return Promise.resolve(said);
    },
  };
};
/** The number in front of a register in the newest table. */
const rowOf = (register: string, screen: string): string =>
  new RegExp(`^\\s*(\\d+)  ${register}\\s`, 'm').exec(screen.slice(screen.lastIndexOf('register')))?.[1] ?? 'none';

describe('the probe in a terminal', () => {
  it('creates a working map for an unknown machine, and shows its readings', async () => {
    const { server, out, walk } = await startRoaster();
    const terminal = person((question, screen) => {
      if (question.includes('the bean temperature')) return rowOf('h:6', screen);
      if (question.includes('exhaust')) return screen.includes('d 213') ? rowOf('h:20', screen) : 'd 213';
      return question.includes('Write it') ? 'yes' : '';
    });
    expect(await walk(terminal), terminal.screen()).toBe(0);
    const map = machineMapShape.parse(JSON.parse(await readFile(out, 'utf8')));
    expect(map.channels).toMatchObject({
      bean_temp: { at: 'h:6', as: 'i16', scale: 0.1, unit: '°C' },
      exhaust_temp: { at: 'h:20', as: 'f32', order: 'CDAB', unit: '°C' },
    });
    expect(terminal.screen()).toMatch(/\+ bean_temp: h:6 i16/);
    expect(terminal.screen()).toMatch(/bean_temp 18\d.*exhaust_temp 21\d/);
    expect(new Set(server.requests.map(({ code }) => code))).toEqual(new Set([3]));
  });

  it('shows the changes to the map in use, and writes nothing after the answer no', async () => {
    const { server, out, walk } = await startRoaster();
    const base = machineMapShape.parse({
      v: 1,
      id: 'mine',
      rev: 4,
      maker: 'M',
      model: 'N',
      link: { kind: 'tcp', host: '127.0.0.1', port: server.port },
      channels: { bean_temp: { at: 'h:9', as: 'i16', scale: 0.1 }, fan_speed: { at: 'h:3', unit: '%' } },
    });
    const terminal = person((question, screen) =>
      question.includes('the bean temperature') ? rowOf('h:6', screen) : question.includes('Write it') ? 'no' : '',
    );
    expect(await walk(terminal, { base, watchSeconds: 1.1 })).toBe(1);
    expect(terminal.screen()).toMatch(/revision 5, against revision 4 in use/);
    expect(terminal.screen()).toMatch(/- bean_temp: h:9[\s\S]*\+ bean_temp: h:6/);
    expect(terminal.screen()).not.toMatch(/fan_speed/);
    await expect(readFile(out)).rejects.toThrow('ENOENT');
  });

  it('ends its watch in time while memory is collected', async () => {
    const { clock, walk } = await startRoaster();
    const terminal = { ...person(() => undefined), interactive: false };
    const stopping = new AbortController();
    const stopCollecting = clock.every(50, collectGarbage);
    clock.after(15_000, () => stopping.abort());
    const code = await walk(terminal, { watchSeconds: 1, signal: stopping.signal });
    stopCollecting();
    expect(code, terminal.screen()).toBe(0);
  });

  it('gives an instruction when no unit answers, and when none of the registers exists', async () => {
    const refusing = await startRoaster(() => ({ exception: 2 }));
    const terminal = person(() => undefined);
    expect(await refusing.walk(terminal)).toBe(1);
    expect(terminal.screen()).toMatch(/has none of these registers\. Try others: --from/);
    await refusing.server.hangUp();
    const alone = person(() => undefined);
    expect(await refusing.walk(alone)).toBe(1);
    expect(alone.screen()).toMatch(/does not answer \(.*ECONNREFUSED.*Check its power/);
    const unplugged = person(() => undefined);
    const link = {
      kind: 'rtu',
      path: '/dev/no-such-adapter',
      baud: 9600,
      dataBits: 8,
      parity: 'none',
      stopBits: 1,
    } as const;
    // Time stands still while the system opens the adapter.
    expect(await refusing.begin(unplugged, { link, find: true })).toBe(1);
    expect(unplugged.screen()).toBe(
      '/dev/no-such-adapter does not exist: check that the serial adapter is plugged in\n',
    );
  });
});
