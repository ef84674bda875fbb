import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { arch, freemem, hostname, loadavg, networkInterfaces, release, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { agentVersion } from '../agent-version.ts';
import { readFileIfThere } from '../atomic-file.ts';
import { identityFile, settingsFile } from '../board-files.ts';
import { agentPlace } from '../config.ts';
import { tarOf, type TarEntry } from '../core/tar.ts';
import { updateRecordFile } from '../update/update-state.ts';
import { examineBoard } from '../doctor/examination.ts';
import { findRunningAgent } from '../running-agent.ts';
import { secretsIn, withoutSecrets } from './secrets.ts';

const logLines = 3000;
const logBytes = 8 * 1_048_576;

/** A file's text, or why it can't be read: support needs to know that too. */
const textOf = async (path: string): Promise<string> => {
  try {
    return (await readFileIfThere(path)) ?? `# there is no ${path}\n`;
  } catch (error) {
    return `# ${path} can't be read: ${String(error)}\n`;
  }
};

const output = (program: string, words: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(program, words, { maxBuffer: logBytes, timeout: 20_000 }, (error, text) =>
      resolve(text === '' && error ? `# ${program}: ${error.message}\n` : text),
    );
  });

/** Names and sizes of the files in the journal, without content. */
const journalIndex = async (folder: string): Promise<string> => {
  try {
    const names = (await readdir(folder, { recursive: true })).toSorted();
    const lines = await Promise.all(
      names.map(async (name) => {
        const { size, mtime } = await stat(join(folder, name));
        return `${String(size).padStart(10)}  ${mtime.toISOString()}  ${name}`;
      }),
    );
    return `${lines.join('\n')}\n`;
  } catch (error) {
    return `# ${folder}: ${String(error)}\n`;
  }
};

const system = async (): Promise<string> => {
  const addresses = Object.entries(networkInterfaces()).flatMap(([name, list = []]) =>
    list.map(({ address }) => `${name} ${address}`),
  );
  const os = await readFile('/etc/os-release', 'utf8').catch((error: unknown) => `# ${String(error)}`);
  return [
    `agent ${agentVersion}, node ${process.version}, ${arch()}, Linux ${release()}`,
    `board ${hostname()}, up ${Math.round(uptime())} s, load ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
    `memory ${Math.round(freemem() / 1e6)} MB free of ${Math.round(totalmem() / 1e6)} MB`,
    `made at ${new Date().toISOString()} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`,
    '',
    ...addresses,
    '',
    os,
  ].join('\n');
};

const pendingSecret = (text: string): string[] => {
  // The server's address is the only value that is not secret, and support needs it.
  return Object.entries(parseJson(z.record(z.string(), z.unknown()), text).data ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'api' ? [value] : [],
  );
};

/**
 * The data that support needs, as a `.tar.gz`: configuration, the doctor's findings, the agent's status, its log, the
 * journal's index. Every text passes one function that removes the board's secrets, wherever they appear.
 */
export const makeSupportBundle = async (configDir: string, env: NodeJS.ProcessEnv = process.env): Promise<Buffer> => {
  const identity = await textOf(identityFile(configDir));
  const settings = await textOf(settingsFile(configDir));
  const pending = await textOf(join(configDir, 'pairing.json'));
  const known = { ...parseEnv(settings), ...parseEnv(identity) };
  const all = { ...known, ...env };
  const secrets = [...secretsIn(known), ...secretsIn(env), ...pendingSecret(pending)];
  const place = agentPlace(all);
  const agent = await findRunningAgent(place);
  const mapPath = all['MACHINE_MAP'];
  const texts: Record<string, string> = {
    'system.txt': await system(),
    'agent.env': identity,
    'settings.env': settings,
    'update.txt': await textOf(updateRecordFile()),
    'status.json': `${JSON.stringify(agent, null, 2)}\n`,
    'doctor.json': `${JSON.stringify(await examineBoard(configDir, env), null, 2)}\n`,
    'machine-map.json': await textOf(mapPath ?? join(place.dataDir, 'machine-map.json')),
    'journal.txt': await journalIndex(join(place.dataDir, 'journal')),
    'service.txt': await output('systemctl', ['status', '--no-pager', '--full', '--lines=0', 'roastery-agent.service']),
    'log.txt': await output('journalctl', [
      '-u',
      'roastery-agent',
      '-o',
      'short-iso-precise',
      '--no-pager',
      '-n',
      String(logLines),
    ]),
    'kernel.txt': await output('journalctl', ['-k', '--no-pager', '-n', '300', '-g', 'tty|usb|mmc|ext4|oom|voltage']),
  };
  const entries = Object.entries(texts).map(([name, text]): TarEntry => ({
    path: `roastery-support/${name}`,
    kind: 'file',
    mode: 0o600,
    content: Buffer.from(withoutSecrets(text, secrets)),
  }));
  const seconds = Math.floor(Date.now() / 1000);
  return gzipSync(tarOf([{ path: 'roastery-support', kind: 'folder', mode: 0o700 }, ...entries], seconds));
};
