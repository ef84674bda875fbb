import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { linkShape, type Link } from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import { probeWishShape } from '@roastery/contract/probe';
import { ConfigError } from '@roastery/runtime/env';
import { readBoardEnvironment, usualConfigDir } from '../board-files.ts';
import { agentPlace } from '../config.ts';
import { inspectBoard } from '../doctor/board-under-check.ts';
import { linkLabel } from '../probe/find-line.ts';
import { runWizard } from '../probe/wizard.ts';
import { findRunningAgent } from '../running-agent.ts';

/** As written on the command line. */
export interface ProbeOptions {
  readonly 'config-dir'?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly serial?: string | undefined;
  readonly baud?: string | undefined;
  readonly parity?: string | undefined;
  readonly framing?: string | undefined;
  readonly unit?: string | undefined;
  readonly tables?: string | undefined;
  readonly from?: string | undefined;
  readonly count?: string | undefined;
  readonly shown?: string | undefined;
  readonly seconds?: string | undefined;
  readonly out?: string | undefined;
  readonly find?: boolean | undefined;
}

class WrongUse extends Error {}

const tablesByLetter: Record<string, 'holding' | 'input' | 'coil' | 'discrete'> = {
  h: 'holding',
  i: 'input',
  c: 'coil',
  d: 'discrete',
};
const usualCount = 128;
const usualWatchSeconds = 12;

const number = (name: string, text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise;
  const value = Number(text.replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value)) throw new WrongUse(`--${name} needs a number, not "${text}"`);
  return value;
};

const linkOf = (options: ProbeOptions, inUse: Link | undefined): Link => {
  const { host, serial, framing } = options;
  if (host !== undefined && serial !== undefined) throw new WrongUse('use --host or --serial, not both');
  if (framing !== undefined && framing !== 'rtu' && framing !== 'ascii')
    throw new WrongUse('--framing is rtu (with --host: a serial converter) or ascii (with --serial)');
  if (host === undefined && serial === undefined) {
    if (inUse) return inUse;
    throw new WrongUse(
      'there is no machine map yet: give the machine’s address with --host 192.168.0.20 or --serial /dev/ttyUSB0',
    );
  }
  const link = parseShape(
    linkShape,
    host === undefined
      ? {
          kind: framing === 'ascii' ? 'ascii' : 'rtu',
          path: serial,
          baud: number('baud', options.baud, 9600),
          parity: options.parity ?? 'none',
        }
      : { kind: framing === 'rtu' ? 'rtu-over-tcp' : 'tcp', host, port: number('port', options.port, 502) },
  );
  if (link.success) return link.data;
  const issue = link.issues[0];
  throw new WrongUse(`--${issue?.path.join('.')}: ${issue?.message}`);
};

const wishOf = (options: ProbeOptions, mapUnit: number) => {
  const tables = (options.tables ?? 'h,i').split(',').map((letter) => {
    const table = tablesByLetter[letter.trim()];
    if (table === undefined) throw new WrongUse(`--tables takes h, i, c and d separated by commas, not "${letter}"`);
    return table;
  });
  const wish = parseShape(probeWishShape, {
    units: (options.unit ?? String(mapUnit)).split(',').map((unit) => number('unit', unit, mapUnit)),
    tables,
    from: number('from', options.from, 0),
    count: number('count', options.count, usualCount),
    usual_places: options.from === undefined && options.count === undefined,
  });
  if (wish.success) return wish.data;
  const issue = wish.issues[0];
  throw new WrongUse(`--${String(issue?.path[0] ?? 'from').replace('units', 'unit')}: ${issue?.message}`);
};

const sameLine = (a: Link, b: Link): boolean =>
  'host' in a && 'host' in b ? a.host === b.host && a.port === b.port : 'path' in a && 'path' in b && a.path === b.path;

/** Why the probe must wait, as a sentence with an instruction; undefined when it can start. */
const obstacle = async (configDir: string, link: Link, inUse: Link | undefined): Promise<string | undefined> => {
  const agent = await findRunningAgent(agentPlace(readBoardEnvironment(configDir)));
  if (agent.kind === 'none') return undefined;
  if (agent.kind === 'unknown') return 'Only root can see whether the agent uses the line: sudo device-agent probe …\n';
  if (agent.kind === 'seen' && agent.status.roast.running !== null)
    return 'A roast is running. Wait for its end: device-agent await-idle\n';
  if (inUse !== undefined && !sameLine(link, inUse)) return undefined;
  return `The agent is reading ${linkLabel(link)}, and a line has only one master. Use "Find registers" of the machine in the portal, or stop the agent:\n  sudo systemctl stop roastery-agent   … probe …   sudo systemctl start roastery-agent\n`;
};

/** Reads a machine's registers and creates a map from them. Returns the exit code: 0 done, 1 not, 2 wrong usage. */
export const probe = async (options: ProbeOptions): Promise<number> => {
  const configDir = options['config-dir'] ?? usualConfigDir;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
    lines.close();
  };
  lines.on('SIGINT', stop);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    const found = await inspectBoard(configDir).map();
    const base = found.kind === 'found' ? found.map : undefined;
    const link = linkOf(options, base?.link);
    const why = await obstacle(configDir, link, base?.link);
    if (why !== undefined) {
      process.stderr.write(why);
      return 1;
    }
    const named = readBoardEnvironment(configDir)['MACHINE_MAP'];
    const out = options.out ?? named ?? join(configDir, 'machine-map.json');
    const code = await runWizard({
      link,
      wish: wishOf(options, base?.unit ?? 1),
      find: options.find ?? false,
      watchSeconds: number('seconds', options.seconds, usualWatchSeconds),
      shown: options.shown === undefined ? undefined : number('shown', options.shown, 0),
      base,
      out,
      signal: stopping.signal,
      terminal: {
        interactive: process.stdin.isTTY,
        write: (text) => void process.stdout.write(text),
        async ask(question) {
          try {
            return await lines.question(question, { signal: stopping.signal });
          } catch (error) {
            // Ctrl-C or Ctrl-D: the person quit.
            if (error instanceof Error && (error.name === 'AbortError' || 'code' in error)) return undefined;
            throw error;
          }
        },
      },
    });
    if (code === 0 && named === undefined && options.out === undefined && process.stdin.isTTY)
      process.stdout.write(`Set the map in ${join(configDir, 'settings.env')}: MACHINE_MAP=${out}\n`);
    return code;
  } catch (error) {
    if (!(error instanceof WrongUse) && !(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    lines.close();
  }
};
