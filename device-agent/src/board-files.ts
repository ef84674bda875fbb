import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readConfig, type AgentConfig } from './config.ts';
import { isMissing } from './atomic-file.ts';

export const usualConfigDir = '/etc/roastery-agent';
/** Written by `pair`: address, serial number, token. */
export const identityFile = (configDir: string): string => join(configDir, 'agent.env');
/** Written by the person who maintains the board. */
export const settingsFile = (configDir: string): string => join(configDir, 'settings.env');

const valuesIn = (path: string): NodeJS.Dict<string> => {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
};

/**
 * The environment of the service: the two files that the unit reads, overridden by the caller's environment. Throws the
 * file system's error when a file exists and can't be read.
 */
export const readBoardEnvironment = (configDir: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...valuesIn(settingsFile(configDir)),
  ...valuesIn(identityFile(configDir)),
  ...env,
});

/** The configuration of the service. Throws `ConfigError`, or the file system's error. */
export const readBoardConfig = (configDir: string, env?: NodeJS.ProcessEnv): AgentConfig =>
  readConfig(readBoardEnvironment(configDir, env));
