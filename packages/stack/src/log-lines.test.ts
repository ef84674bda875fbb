import { describe, expect, it } from 'vitest';
import { isRoutine, lineFormat, splitLines } from './log-lines.ts';

const requestLine = (level: string) => JSON.stringify({ level, name: 'api', msg: 'request', status: 200 });

describe('a line in the terminal', () => {
  const format = lineFormat(false);
  it('has process, time, level and message', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: '2026-11-21T08:15:02Z',
      name: 'api',
      msg: 'sign-in refused',
      tries: 5,
    });
    expect(format('api', line)).toMatch(/^api {7}\d\d:\d\d:02 warn sign-in refused {2}tries=5$/);
  });
  it('leaves out fields that every line has', () => {
    const line = JSON.stringify({
      level: 'info',
      time: '2026-11-21T08:15:02Z',
      name: 'api',
      pid: 7,
      hostname: 'x',
      msg: 'ready',
    });
    expect(format('api', line)).toMatch(/^api {7}\d\d:\d\d:02 ready$/);
  });
  it('is left out for an answered request, never for a failed one', () => {
    expect([isRoutine(requestLine('info')), isRoutine(requestLine('error')), isRoutine('request')]).toEqual([
      true,
      false,
      false,
    ]);
  });
  it('log lines: show no control character of a line or record', () => {
    const signs = [...Array(0xa0).keys()]
      .filter((code) => code < 0x20 || code > 0x7e)
      .map((code) => String.fromCharCode(code));
    signs.push('\u2028', '\u2029', '\u200b', '\u200f', '\u202e', '\u2066', '\u2069', '\ufeff');
    for (const sign of signs.filter((one) => one !== '\t' && one !== '\n')) {
      const dirty = `a${sign}[31mb`;
      const records = [
        { level: 'info', msg: dirty },
        { level: 'info', msg: 'x', email: dirty },
        { level: 'info', msg: 'x', [dirty]: 1 },
        { level: 'info', msg: 'x', deep: { [dirty]: [dirty] } },
        { level: 'error', msg: 'x', err: { message: dirty } },
      ];
      for (const line of [...records.map((record) => JSON.stringify(record)), dirty, `{"half ${dirty}`]) {
        expect(format('api', line), JSON.stringify(sign)).not.toContain(sign);
        expect(format('api', line)).toMatch(/a\\+[bfnru].*\[31mb/);
      }
    }
  });
  it('log lines: keep letters, symbols and tabs of every language', () => {
    const text = 'Café\tГватемала 咖啡 ☕ 205 °C';
    expect(format('api', JSON.stringify({ level: 'info', msg: text }))).toContain(text);
  });
  it('shows other output as it is', () => {
    expect(format('broker', '{"level":"info","ti')).toBe('broker    {"level":"info","ti');
  });
});

describe('splitting output into lines', () => {
  it('waits for the rest of a line, also within a character', () => {
    const lines: string[] = [];
    const feed = splitLines((line) => lines.push(line));
    const bytes = Buffer.from('205 °C\ndrop\n\ncool');
    for (const byte of bytes) feed(Buffer.of(byte));
    expect(lines).toEqual(['205 °C', 'drop']);
  });
});
