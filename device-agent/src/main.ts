#!/usr/bin/env node
import { parseArgs } from 'node:util';

const usage = `device-agent: reads a roasting machine and keeps its journal

  device-agent pair TICKET --api URL [--config-dir FOLDER]
                                       get this board's credential for a pairing ticket
  device-agent run [--env-file FILE]   read, record and ship until stopped
  device-agent check-map FILE          say whether a machine map is right
`;

/** Commands are loaded when they are called: the agent itself should not carry the others in memory. */
const main = async (): Promise<void> => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      'env-file': { type: 'string' },
      api: { type: 'string' },
      'config-dir': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, ...rest] = positionals;
  if (command === 'run' && rest.length === 0) {
    const { run } = await import('./cli/run.ts');
    return run(values['env-file']);
  }
  if (command === 'pair' && rest.length <= 1) {
    const { pair } = await import('./cli/pair.ts');
    process.exitCode = await pair(rest[0], values.api, values['config-dir']);
    return;
  }
  if (command === 'check-map' && rest.length <= 1) {
    const { checkMap } = await import('./cli/check-map.ts');
    process.exitCode = await checkMap(rest[0]);
    return;
  }
  (values.help ? process.stdout : process.stderr).write(usage);
  process.exitCode = values.help ? 0 : 2;
};

try {
  await main();
} catch (error) {
  const wrongUse = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (!wrongUse) throw error;
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
