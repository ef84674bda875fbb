import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseEnv } from 'node:util';
import { createLogger } from '@roastery/runtime/logger';
import { runProgram } from '@roastery/runtime/shutdown';
import { startAgent } from '../agent.ts';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';
import { identityFile, readBoardConfig, settingsFile } from '../board-files.ts';
import { quoted } from '../pairing/env-file.ts';
import { startAtSignIn } from './at-sign-in.ts';
import { pair } from './pair.ts';

export interface ArtisanOptions {
  readonly api?: string | undefined;
  readonly 'config-dir'?: string | undefined;
  readonly 'trial-without-tls'?: boolean | undefined;
  readonly folder?: string | undefined;
  readonly live?: string | undefined;
  readonly 'temperature-unit'?: string | undefined;
  readonly 'past-days'?: string | undefined;
  readonly 'at-sign-in'?: boolean | undefined;
}

const usualUrl = 'ws://127.0.0.1:8080/websocket';

/** A folder of this user on a computer that is not a board: it needs no administrator rights. */
export const personalFolder = (
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): string => {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'roastery-agent');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'roastery-agent');
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'roastery-agent');
};

/** Prompts once, if a person can answer. */
const askForFolder = async (): Promise<string> => {
  if (!process.stdin.isTTY) return '';
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await dialog.question(
      'Artisan’s autosave folder (Config, Autosave), or empty for the live view only: ',
    );
    return answer.trim().replaceAll(/^["']|["']$/g, '');
  } finally {
    dialog.close();
  }
};

/** The current and the previous choice. */
const chooseSettings = async (configDir: string, options: ArtisanOptions): Promise<NodeJS.Dict<string>> => {
  const path = settingsFile(configDir);
  const before = parseEnv((await readFileIfThere(path)) ?? '');
  const { folder, live, 'temperature-unit': unit, 'past-days': days } = options;
  const isFirst = before['ARTISAN_FOLDER'] === undefined && before['ARTISAN_URL'] === undefined;
  const chosen = {
    DATA_DIR: join(configDir, 'data'),
    ...(isFirst ? { ARTISAN_URL: usualUrl } : {}),
    ...before,
    ...(isFirst && folder === undefined ? { ARTISAN_FOLDER: await askForFolder() } : {}),
    ...(folder === undefined ? {} : { ARTISAN_FOLDER: folder }),
    ...(live === undefined ? {} : { ARTISAN_URL: live === 'off' ? '' : live }),
    ...(unit === undefined ? {} : { ARTISAN_UNIT: unit }),
    ...(days === undefined ? {} : { ARTISAN_PAST_DAYS: days }),
  };
  const lines = Object.entries(chosen).map(([name, value]) => `${name}=${quoted(value ?? '')}`);
  await writeFileAtomically(path, `${lines.join('\n')}\n`);
  return chosen;
};

/**
 * Pairs this computer with a ticket, if one is given, and runs the agent on it with Artisan as its source. Returns the
 * exit code; undefined while it runs.
 */
export const artisan = async (ticket: string | undefined, options: ArtisanOptions): Promise<number | undefined> => {
  const configDir = options['config-dir'] ?? personalFolder();
  if (ticket !== undefined) {
    const code = await pair(ticket, options.api, configDir, options['trial-without-tls'], 'This computer is paired.');
    if (code !== 0) return code;
  } else if ((await readFileIfThere(identityFile(configDir))) === undefined) {
    process.stderr.write(
      'This computer is not paired yet: device-agent artisan PAIR-XXXX-XXXX-XXXX --api https://roastery.example\n',
    );
    return 2;
  }
  const settings = await chooseSettings(configDir, options);
  const { ARTISAN_FOLDER: folder, ARTISAN_URL: url } = settings;
  if (!folder && !url) {
    process.stderr.write('Nothing to read. Use --folder FOLDER, --live ws://127.0.0.1:8080/websocket, or both\n');
    return 2;
  }
  process.stdout.write(`Files: ${folder || 'off'}. Live: ${url || 'off'}. Settings: ${settingsFile(configDir)}\n`);
  if (options['at-sign-in'] === true) return startAtSignIn(configDir);
  const log = createLogger('device-agent');
  runProgram(log, async () => {
    const config = readBoardConfig(configDir);
    log.level = config.logLevel;
    return startAgent(config, log);
  });
  return undefined;
};
