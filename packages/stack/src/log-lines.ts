const COLOURS = { grey: 90, red: 31, yellow: 33, green: 32, blue: 34, magenta: 35, cyan: 36, white: 37 } as const;
type Colour = keyof typeof COLOURS;

const COLOUR_OF_PROCESS: Record<string, Colour> = {
  postgres: 'blue',
  api: 'green',
  broker: 'magenta',
  simulator: 'grey',
  agent: 'cyan',
  stack: 'white',
};

/**
 * Control characters, and those that reorder or break a line: a terminal acts on them, and a person does not see them.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Untrusted text for a terminal: `\\u{1b}` in place of an escape. Tabs stay. */
export const printable = (text: string): string =>
  text.replace(unprintable, (sign) => (sign === '\t' ? sign : `\\u{${sign.codePointAt(0)?.toString(16)}}`));

/** Turns one line of a process's output into the line shown: process, time, level, message. */
export type LineFormat = (processName: string, line: string) => string;

/**
 * @param inColour whether the reader is a terminal
 * @returns `api       08:15:02 warn  sign-in refused  address=…` for the JSON lines of pino; anything else as it is
 */
export function lineFormat(inColour: boolean): LineFormat {
  const paint = (colour: Colour, text: string) => (inColour ? `\u001B[${COLOURS[colour]}m${text}\u001B[0m` : text);
  return (processName, line) => {
    const part = processName.replace(/-.*/, '');
    const prefix = paint(COLOUR_OF_PROCESS[part] ?? 'white', part.padEnd(10));
    const record = parseRecord(line);
    if (record === undefined) return `${prefix}${printable(line)}`;
    const { level, time, msg, name: _name, pid: _pid, hostname: _hostname, err, ...rest } = record;
    const details = Object.entries(rest).map(([key, value]) => `${printable(key)}=${inBrief(value)}`);
    if (typeof err === 'object' && err !== null && 'message' in err) details.push(`error=${inBrief(err.message)}`);
    const grave = levelColour(String(level));
    return [
      `${prefix}${paint('grey', clockTime(time))}`,
      grave === undefined ? '' : paint(grave, String(level)),
      `${typeof msg === 'string' ? printable(msg) : ''}${details.length === 0 ? '' : paint('grey', `  ${details.join(' ')}`)}`,
    ]
      .filter((part) => part !== '')
      .join(' ');
  };
}

/** Routine lines such as answered requests: too many for a terminal. */
export function isRoutine(line: string): boolean {
  const record = parseRecord(line);
  return record?.['msg'] === 'request' && record['level'] === 'info';
}

/** A log record of exactly level `warn`. */
export function isWarning(line: string): boolean {
  return parseRecord(line)?.['level'] === 'warn';
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that only looks like JSON, for instance half of one from a killed process, is shown as it is.
    return undefined;
  }
}

function levelColour(level: string): Colour | undefined {
  if (level === 'fatal' || level === 'error') return 'red';
  return level === 'warn' ? 'yellow' : undefined;
}

function clockTime(time: unknown): string {
  const date = new Date(typeof time === 'string' || typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : date.toTimeString().slice(0, 8);
}

function inBrief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text.length > 200 ? `${text.slice(0, 199)}…` : text);
}

/** Splits a stream of chunks into lines; text after the last line break waits for the next chunk. */
export function splitLines(onLine: (line: string) => void): (chunk: Buffer | string) => void {
  const decoder = new TextDecoder();
  let rest = '';
  return (chunk) => {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  };
}
