import { spawn } from 'node:child_process';

/**
 * Ends `pid` when this process ends, even by SIGKILL: a shell waits for the end of a pipe that only this process holds
 * open, then sends `signal`, and SIGKILL 10 s later.
 * @param identity the user to send as, if the process belongs to another user
 * @returns ends the guard; call it once the process has ended, before its id is reused
 */
export function guardAgainstOrphaning(
  pid: number,
  signal: 'INT' | 'TERM',
  identity: { uid?: number; gid?: number } = {},
): () => void {
  const script = `read -r _; kill -${signal} ${pid} && sleep 10 && kill -KILL ${pid}`;
  const guard = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    ...identity,
  });
  guard.unref();
  const pipe = guard.stdin;
  // A pipe to a process is a socket; neither it nor the guard may keep this process running.
  if ('unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  pipe.on('error', () => guard.kill('SIGKILL'));
  return () => {
    guard.kill('SIGKILL');
  };
}
