import { createLogger } from '@roastery/runtime/logger';
import { migrate } from './migrate.ts';
import { openDatabase } from './sql.ts';

/**
 * `npm run upgrade-database`: what the api does at its start, alone. Answers the exit code 0; throws `ConfigError` with a sentence
 * when the database cannot be upgraded.
 */
export const runUpgradeCommand = async (databaseUrl: string, say: (line: string) => void): Promise<number> => {
  const log = createLogger('upgrade-database', 'warn');
  const sql = openDatabase({ url: databaseUrl, log, connections: 1 });
  try {
    const applied = await migrate(sql, log);
    say(applied.length === 0 ? 'The database is up to date.' : `The database was upgraded: ${applied.join(', ')}.`);
    return 0;
  } finally {
    await sql.end({ timeout: 2 });
  }
};
