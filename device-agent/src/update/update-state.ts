import { readFile } from 'node:fs/promises';
import { boardUpdateShape, type BoardUpdate } from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import { isMissing } from '../atomic-file.ts';

const usualRecord = '/var/lib/roastery-agent-update/record';
const usualPass = '/var/lib/roastery-agent/update-passed';

/** Where the launcher keeps its record. */
export const updateRecordFile = (env: NodeJS.ProcessEnv = process.env): string =>
  env['ROASTERY_UPDATE_RECORD'] ?? usualRecord;

/** The file's text; undefined if there is none, or this user may not read it. */
export const readClaim = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'EACCES')) return undefined;
    throw error;
  }
};

/** Of `NAME=value` lines. */
export const valuesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split('\n')
      .flatMap((line) =>
        line.includes('=') ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [],
      ),
  );

const states: Readonly<Record<string, BoardUpdate['state']>> = {
  unpacking: 'unfinished',
  waiting: 'waiting',
  trial: 'on_trial',
  good: 'good',
  'turned-back': 'turned_back',
};

/**
 * The record of the launcher (`deploy/board/launch`) about the newest update; undefined if there never was one, if the
 * program was not installed as a package, or if the record is unusable.
 */
export const readUpdateState = async (env: NodeJS.ProcessEnv = process.env): Promise<BoardUpdate | undefined> => {
  const text = await readClaim(updateRecordFile(env));
  if (text === undefined) return undefined;
  const record = valuesIn(text);
  const passed = (await readClaim(env['ROASTERY_UPDATE_PASSED'] ?? usualPass))?.trim();
  const written = states[record['STATE'] ?? ''];
  const hasPassed = written === 'on_trial' && passed !== undefined && passed !== '' && passed === record['TRIAL'];
  const reason = record['REASON']?.slice(0, 300);
  return parseShape(boardUpdateShape, {
    state: hasPassed ? 'good' : written,
    installed: record['INSTALLED'],
    earlier: record['EARLIER'],
    at: Number(record['AT']) * 1000,
    ...(reason === undefined || reason === '' ? {} : { reason }),
  }).data;
};

/** The state of the newest update as a sentence, with an instruction if one is needed. */
export interface UpdateSummary {
  readonly says: string;
  readonly todo?: string;
}

/** Undefined when there is nothing to report. */
export const updateSummary = (update: BoardUpdate | undefined | null): UpdateSummary | undefined => {
  if (!update) return undefined;
  const { state, installed, earlier, reason } = update;
  if (state === 'good') return { says: `version ${installed} is confirmed` };
  if (state === 'on_trial')
    return { says: `version ${installed} is on trial; the board rolls back to ${earlier} unless it stays healthy` };
  if (state === 'waiting') return { says: `version ${installed} is installed and starts when no roast is running` };
  if (state === 'unfinished')
    return {
      says: `An update was not completed; version ${earlier} continues to run.`,
      todo: 'Complete it: sudo dpkg --configure -a. If that prints nothing, install the package again.',
    };
  return {
    says: `Version ${installed} was installed and rolled back to ${earlier}${reason === undefined ? '' : `: ${reason}`}.`,
    todo: 'Recording continues. Send a support bundle and install a newer version. To try the same version again: sudo apt install --reinstall ./roastery-agent_*.deb',
  };
};
