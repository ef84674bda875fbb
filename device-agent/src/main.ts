#!/usr/bin/env node
import { parseArgs } from 'node:util';

const usage = `device-agent: records a roasting machine and sends the readings to the portal

  device-agent pair TICKET --api URL   exchange a pairing ticket for this board's credential
                [--trial-without-tls]  allow http:// in a private network
  device-agent doctor [--json]         check everything from the machine to the server and say how to fix it
  device-agent status [--json]         show what the running agent sees now
  device-agent support-bundle [FILE]   write one file with what support needs, without secrets
  device-agent factory-reset [--yes] [--all] [--discard-unsent]
                                       delete credential and journal; --all: the machine map too
  device-agent check-map FILE          check a machine map
  device-agent probe [--host HOST [--port 502] | --serial PATH [--baud 9600] [--parity even]] [--framing rtu|ascii]
                     [--unit 1,2] [--tables h,i,c,d] [--from 0 --count 128] [--find] [--seconds 12] [--shown 187.5]
                     [--out FILE]      read a machine's registers, assign them and save the map; only reads
  device-agent outputs --simulate      show what the plan on this board would write; nothing is written
  device-agent artisan [TICKET --api URL] [--folder FOLDER] [--live URL|off] [--temperature-unit C|F] [--past-days N|all]
                [--at-sign-in]         pair a computer that runs Artisan and send its roasts
  device-agent await-idle              wait until no roast is running
  device-agent run [--env-file FILE]   read, record and send until stopped; the service does this

The board's configuration is in /etc/roastery-agent, or in --config-dir FOLDER.
Exit code: 0 success, 1 a problem was reported, 2 wrong usage, 3 the server refused the ticket.
`;

const options = {
  'env-file': { type: 'string' },
  api: { type: 'string' },
  'config-dir': { type: 'string' },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  all: { type: 'boolean' },
  'discard-unsent': { type: 'boolean' },
  host: { type: 'string' },
  port: { type: 'string' },
  serial: { type: 'string' },
  baud: { type: 'string' },
  parity: { type: 'string' },
  framing: { type: 'string' },
  unit: { type: 'string' },
  tables: { type: 'string' },
  from: { type: 'string' },
  count: { type: 'string' },
  'trial-without-tls': { type: 'boolean' },
  find: { type: 'boolean' },
  seconds: { type: 'string' },
  shown: { type: 'string' },
  out: { type: 'string' },
  simulate: { type: 'boolean' },
  folder: { type: 'string' },
  live: { type: 'string' },
  'temperature-unit': { type: 'string' },
  'past-days': { type: 'string' },
  'at-sign-in': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

const parse = () => parseArgs({ allowPositionals: true, options });
type Values = ReturnType<typeof parse>['values'];
/** Returns the exit code; undefined while the program continues. */
type Command = (argument: string | undefined, values: Values) => Promise<number | undefined>;

/** Commands are loaded on demand: the agent itself should not keep the others in memory. */
const commands: Record<string, Command> = {
  async run(_, values) {
    const { run } = await import('./cli/run.ts');
    run(values['env-file']);
    return undefined;
  },
  async pair(ticket, values) {
    const { pair } = await import('./cli/pair.ts');
    return pair(ticket, values.api, values['config-dir'], values['trial-without-tls']);
  },
  async artisan(ticket, values) {
    const { artisan } = await import('./cli/artisan.ts');
    return artisan(ticket, values);
  },
  async 'check-map'(file) {
    const { checkMap } = await import('./cli/check-map.ts');
    return checkMap(file);
  },
  async probe(_, values) {
    const { probe } = await import('./cli/probe.ts');
    return probe(values);
  },
  async outputs(_, values) {
    const { outputs } = await import('./cli/outputs.ts');
    return outputs(values.simulate, values['config-dir']);
  },
  async doctor(_, values) {
    const { doctor } = await import('./cli/doctor.ts');
    return doctor(values['config-dir'], values.json);
  },
  async status(_, values) {
    const { status } = await import('./cli/status.ts');
    return status(values['config-dir'], values.json);
  },
  async 'await-idle'(_, values) {
    const { awaitIdle } = await import('./cli/status.ts');
    return awaitIdle(values['config-dir']);
  },
  async 'support-bundle'(file, values) {
    const { supportBundle } = await import('./cli/support-bundle.ts');
    return supportBundle(file, values['config-dir']);
  },
  async 'factory-reset'(_, values) {
    const { factoryReset } = await import('./cli/factory-reset.ts');
    const { 'config-dir': configDir, yes = false, all = false, 'discard-unsent': discardUnsent = false } = values;
    return factoryReset({ configDir, yes, all, discardUnsent });
  },
};
const withArgument = new Set(['pair', 'artisan', 'check-map', 'support-bundle']);

const wrongUse = (name: string, isCommand: boolean, rest: readonly string[]): string => {
  if (name === '') return '';
  if (!isCommand) return `Unknown command "${name}".\n\n`;
  const most = withArgument.has(name) ? 1 : 0;
  return `Unexpected argument "${rest.slice(most).join(' ')}" after ${name}: give the ticket or the file name as one argument.\n\n`;
};

const main = async (): Promise<number | undefined> => {
  const { positionals, values } = parse();
  const [name = '', ...rest] = positionals;
  if (values.version) {
    const { agentVersion } = await import('./agent-version.ts');
    process.stdout.write(`${agentVersion}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!values.help && command && rest.length <= (withArgument.has(name) ? 1 : 0)) return command(rest[0], values);
  const wrong = values.help ? '' : wrongUse(name, command !== undefined, rest);
  (values.help ? process.stdout : process.stderr).write(`${wrong}${usage}`);
  return values.help ? 0 : 2;
};

try {
  const code = await main();
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  if (code.startsWith('ERR_PARSE_ARGS')) {
    process.stderr.write(`${message}\n\n${usage}`);
    process.exitCode = 2;
  } else if (code === 'EACCES') {
    process.stderr.write(`This user is not permitted to do that (${message}). Run as root: sudo device-agent …\n`);
    process.exitCode = 1;
  } else throw error;
}
