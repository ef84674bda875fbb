import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { machineMapShape, sentMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import { ConfigError } from '@roastery/runtime/env';
import type { Logger } from '@roastery/runtime/logger';
import { readFileIfThere, syncFolder, writeFileAtomically } from './atomic-file.ts';

interface Issue {
  readonly path: PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/** `channels.bean_temp.at: …`: the position in the map, and a correct value for it. */
const describeIssue = (issue: Issue): string => {
  const where = issue.path.map(String).join('.') || 'the map';
  return `${where}: ${issue.message}`;
};

/** The server's map for this board, or why this agent cannot use it; null without one. */
export const mapFromServer = (given: unknown): { map: MachineMap | null } | { trouble: string } => {
  const parsed = parseShape(sentMapShape.nullable(), given);
  if (parsed.success) return { map: parsed.data };
  return {
    trouble: `the portal’s map for this machine is invalid: ${parsed.issues.slice(0, 3).map(describeIssue).join('; ')}`,
  };
};

/** Parses a machine map from text. Throws `ConfigError` with one line that names every invalid position in it. */
export const parseMachineMap = (
  text: string,
  source: string,
  shape: typeof machineMapShape | typeof sentMapShape = machineMapShape,
): MachineMap => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `machine map ${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const parsed = parseShape(shape, json);
  if (parsed.success) return parsed.data;
  const issues = parsed.issues.map(describeIssue);
  const more = issues.length > 3 ? `; and ${issues.length - 3} more` : '';
  throw new ConfigError(`machine map ${source} is invalid at ${issues.slice(0, 3).join('; ')}${more}`);
};

const unreadable = (path: string, reason: string): string => {
  if (reason === 'ENOENT') return `machine map ${path} does not exist: check its name and folder`;
  if (reason === 'EISDIR') return `${path} is a folder: name the machine map file in it`;
  if (reason === 'EACCES') return `machine map ${path} is not readable by this user`;
  return `machine map ${path} can't be read (${reason})`;
};

export const readMachineMap = async (path: string): Promise<MachineMap> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      unreadable(path, error instanceof Error && 'code' in error ? String(error.code) : String(error)),
    );
  }
  return parseMachineMap(text, path);
};

/** The map that the server sent last, stored on the board so that it also applies without a network. */
const pushedMapPath = (dataDir: string): string => join(dataDir, 'machine-map.json');

export const keepPushedMap = (dataDir: string, map: MachineMap): Promise<void> =>
  writeFileAtomically(pushedMapPath(dataDir), `${JSON.stringify(map, null, 2)}\n`);

/** The board uses its own file again. */
export const dropPushedMap = async (dataDir: string): Promise<void> => {
  await rm(pushedMapPath(dataDir), { force: true });
  await syncFolder(dataDir);
};

/**
 * The map to read with: the one the server sent, unless the file on the board is a newer revision of it. A stored map
 * that can't be read any more is ignored with a warning; an invalid file prevents the start.
 */
export const chooseMachineMap = async (
  dataDir: string,
  filePath: string | undefined,
  log: Logger,
): Promise<MachineMap | undefined> => {
  const fromFile = filePath === undefined ? undefined : await readMachineMap(filePath);
  const text = await readFileIfThere(pushedMapPath(dataDir)).catch((error: unknown) => {
    log.warn({ reason: String(error) }, 'machine map: stored map unreadable');
    return undefined;
  });
  if (text === undefined) return fromFile;
  try {
    // A newer agent may have stored it.
    const pushed = parseMachineMap(text, pushedMapPath(dataDir), sentMapShape);
    return fromFile && fromFile.id === pushed.id && fromFile.rev > pushed.rev ? fromFile : pushed;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.warn({ reason: error.message }, 'machine map: stored map ignored');
    return fromFile;
  }
};
