import { readFile } from 'node:fs/promises';
import postgres from 'postgres';

const parentOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
};

/**
 * Stops a private server and every session of the api on it: they accept connections and statements, but neither
 * answer nor close. Never use it on a server that other tests use.
 */
export const hangPostgres = async (databaseUrl: string): Promise<{ resume(): void }> => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  const sessions = await sql<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE application_name = 'roastery-api'`;
  const [own] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  const server = await parentOf(own?.pid ?? 0);
  await sql.end();
  const stopped = [server, ...sessions.map(({ pid }) => pid)];
  for (const pid of stopped) process.kill(pid, 'SIGSTOP');
  return {
    resume: () => {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    },
  };
};
