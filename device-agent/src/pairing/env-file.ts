import { parseEnv } from 'node:util';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';

export interface BoardIdentity {
  readonly API_URL: string;
  readonly MACHINE_SERIAL: string;
  readonly MACHINE_TOKEN: string;
}

/**
 * So that systemd, a shell and Node read the same: plain if possible, else in a quote character that it does not
 * contain.
 */
export const quoted = (value: string): string => {
  if (/^[\w.,:/@+-]+$/.test(value)) return value;
  return value.includes("'") ? `"${value.replaceAll(/["\\$`]/g, String.raw`\$&`)}"` : `'${value}'`;
};

const nameOf = (line: string): string | undefined => /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1];

/**
 * The file's text with a new identity; map, log level and other settings stay. A broker's address is removed with its
 * server.
 */
export const withIdentity = (before: string | undefined, identity: BoardIdentity): string => {
  const replaced = new Set<string>(Object.keys(identity));
  const old = parseEnv(before ?? '');
  if (old['API_URL'] !== identity.API_URL) replaced.add('MQTT_URL');
  const kept = (before ?? '# Written by device-agent pair; mode 0600: it holds the token of this machine.')
    .split('\n')
    .filter((line) => !replaced.has(nameOf(line) ?? ''));
  while (kept.at(-1)?.trim() === '') kept.pop();
  const lines = Object.entries(identity).map(([name, value]) => `${name}=${quoted(value)}`);
  return `${[...kept, ...lines].join('\n')}\n`;
};

/** Replaces the environment file as a whole or not at all, readable by its owner only. */
export const writeIdentity = async (path: string, identity: BoardIdentity): Promise<void> =>
  writeFileAtomically(path, withIdentity(await readFileIfThere(path), identity));

/** The board's identity in the environment file; undefined when it is incomplete. */
export const readIdentity = async (path: string): Promise<BoardIdentity | undefined> => {
  const { API_URL, MACHINE_SERIAL, MACHINE_TOKEN } = parseEnv((await readFileIfThere(path)) ?? '');
  if (!API_URL || !MACHINE_SERIAL || !MACHINE_TOKEN) return undefined;
  return { API_URL, MACHINE_SERIAL, MACHINE_TOKEN };
};
