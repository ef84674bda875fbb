import { parseArgs } from 'node:util';
import { systemActor } from '../db/audit.ts';
import { openDatabase, type Database } from '../db/sql.ts';
import { AppError } from '../http/app-error.ts';
import { createLogger } from '@roastery/runtime/logger';
import { listQuarantined, replayQuarantined } from './quarantine-replay.ts';

export const quarantineUsage = `Journal messages that were refused:
  list [--machine SERIAL]                      what is in quarantine, newest first, and why
  replay ID …  |  --machine SERIAL  |  --all   store them, e.g. after an update`;

const pageSize = 200;
/** More than the limit of the quarantine. */
const maxMessages = 10_000;

const readAll = async (sql: Database, serial: string | undefined) => {
  const all: Awaited<ReturnType<typeof listQuarantined>>['quarantined'] = [];
  for (let offset = 0; offset < maxMessages; offset += pageSize) {
    const { quarantined } = await listQuarantined(sql, { limit: pageSize, offset, q: serial });
    all.push(...quarantined.filter((one) => serial === undefined || one.serial_number === serial));
    if (quarantined.length < pageSize) break;
  }
  return all;
};

const list = async (sql: Database, serial: string | undefined, say: (line: string) => void): Promise<number> => {
  const all = await readAll(sql, serial);
  for (const { id, serial_number, received_at, times, bytes, reason } of all)
    say(`${id}  ${received_at}  ${serial_number}  ${bytes} bytes  ${times}×  ${reason}`);
  say(`${all.length} ${all.length === 1 ? 'message' : 'messages'} in quarantine`);
  return 0;
};

const replay = async (sql: Database, ids: readonly string[], say: (line: string) => void): Promise<number> => {
  let refused = 0;
  for (const id of ids) {
    try {
      const { samples, events } = await replayQuarantined(sql, id, systemActor);
      say(`${id}  stored: ${samples} samples, ${events} events`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused += 1;
      say(`${id}  ${error.message}`);
    }
  }
  say(`${ids.length - refused} stored, ${refused} left in quarantine`);
  return refused > 0 ? 1 : 0;
};

/** `npm run quarantine -- list|replay`. Answers the exit code: 0, 1 when some were refused again, 2 for a wrong call. */
export const runQuarantineCommand = async (
  args: readonly string[],
  databaseUrl: string,
  say: (line: string) => void,
): Promise<number> => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { machine: { type: 'string' }, all: { type: 'boolean', default: false } },
  });
  const [command, ...ids] = positionals;
  const isKnown = command === 'list' || (command === 'replay' && (ids.length > 0 || values.all || values.machine));
  if (!isKnown) {
    say(quarantineUsage);
    return 2;
  }
  const sql = openDatabase({ url: databaseUrl, log: createLogger('quarantine', 'warn'), connections: 1 });
  try {
    if (command === 'list') return await list(sql, values.machine, say);
    // Oldest first, in the order of arrival.
    const wanted = ids.length > 0 ? ids : (await readAll(sql, values.machine)).map(({ id }) => id).toReversed();
    return await replay(sql, wanted, say);
  } finally {
    await sql.end({ timeout: 2 });
  }
};
