import { linkShape } from '@roastery/contract/machine-map';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LinkError, openLine, type OpenLine } from '../machine/line-port.ts';
import { startScriptedServer } from '../testing/modbus-server.ts';
import { findLine } from './find-line.ts';

const path = '/dev/ttyUSB0';
const serial = (baud: number, parity: 'none' | 'even' | 'odd' = 'none') =>
  linkShape.parse({ kind: 'rtu', path, baud, parity });

/** A machine at the far end of a serial line of these settings. At other settings it hears noise and says nothing. */
const startMachine = async (unit: number, settings: { readonly baud: number; readonly parity: string }) => {
  const clock = createVirtualClock();
  const state = { isOn: true, isPlugged: true };
  const askedAt: number[] = [];
  const server = await startScriptedServer(
    'rtu',
    (request) => {
      askedAt.push(clock.monotonic());
      return { lost: request.unit !== unit || !state.isOn };
    },
    () => 0,
    clock,
  );
  onTestFinished(() => server.hangUp());
  const socket = { kind: 'rtu-over-tcp', host: '127.0.0.1', port: server.port } as const;
  const open: OpenLine = async (link, ...rest) => {
    if (!state.isPlugged) throw new LinkError(`${path} does not exist`);
    const isRight = 'baud' in link && link.baud === settings.baud && link.parity === settings.parity;
    return isRight ? openLine(socket, ...rest) : { write: () => undefined, close: () => undefined };
  };
  return { clock, state, server, socket, open, askedAt };
};

describe('findLine', () => {
  it('finds the unit that answers, by reading only and with a pause between requests', async () => {
    const { clock, socket, server, askedAt } = await startMachine(3, { baud: 9600, parity: 'none' });
    const found = await clock.run(findLine(socket, [1], new AbortController().signal, () => undefined, { clock }));
    expect(found?.units).toEqual([3]);
    expect(server.requests.every(({ code }) => code === 3)).toBe(true);
    const gaps = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? at));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
  });

  it('finds an unknown speed', async () => {
    const { clock, open } = await startMachine(2, { baud: 38_400, parity: 'even' });
    const asked: string[] = [];
    const found = await clock.run(
      findLine(serial(9600), [1], new AbortController().signal, ({ where }) => asked.push(where), { clock, open }),
    );
    expect(found).toMatchObject({ link: { baud: 38_400, parity: 'even' }, units: [2] });
    expect(asked[0]).toBe(`rtu ${path} 9600 baud, no parity, unit 1`);
  });

  it('returns to the given line, so that a machine switched on during the search is read again', async () => {
    const { clock, state, open } = await startMachine(17, { baud: 4800, parity: 'odd' });
    state.isOn = false;
    const asked: string[] = [];
    const trying = ({ where }: { readonly where: string }): void => {
      asked.push(where);
      if (where.includes('9600 baud')) state.isOn = true;
    };
    const options = { clock, open, returnAfterMs: 1500 };
    const found = await clock.run(findLine(serial(4800, 'odd'), [17], new AbortController().signal, trying, options));
    expect(found).toMatchObject({ link: { baud: 4800, parity: 'odd' }, units: [17] });
    const others = asked.slice(0, asked.lastIndexOf(asked[0] ?? ''));
    expect(others.length, asked.join('\n')).toBeLessThan(20);
  });

  it('waits for an adapter that is gone for a moment, and ends when it stays away', async () => {
    const { clock, state, open } = await startMachine(3, { baud: 9600, parity: 'none' });
    const asked: string[] = [];
    const search = (onFirst: () => void) =>
      clock.run(
        findLine(
          serial(9600),
          [3],
          new AbortController().signal,
          ({ where }) => {
            if (asked.push(where) === 1) onFirst();
          },
          { clock, open },
        ),
      );
    const found = await search(() => {
      state.isPlugged = false;
      clock.after(600, () => (state.isPlugged = true));
    });
    expect(found).toMatchObject({ link: { baud: 9600, parity: 'none' }, units: [3] });
    expect(new Set(asked.map((where) => where.replace(/, unit .*/, ''))), 'lines').toHaveLength(1);
    asked.length = 0;
    await expect(search(() => (state.isPlugged = false))).rejects.toThrow(/does not exist/);
    expect(asked).toHaveLength(1);
  });
});
