import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from './shared-data.ts';
import { untilListening } from './until.ts';

/** The folders of programs in Debian's package of version 2. */
export const mosquittoProgram = '/usr/sbin/mosquitto';
const passwords = '/usr/bin/mosquitto_passwd';
export const hasMosquitto = existsSync(mosquittoProgram) && existsSync(passwords);
/** For the title of a test that needs it. */
export const needsMosquitto = hasMosquitto ? '' : ' (skipped: needs `apt install mosquitto`)';

const changePasswords = (...args: string[]): void => {
  const { status, stderr } = spawnSync(passwords, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mosquitto_passwd ended with ${status}: ${stderr}`);
};

/** Starts Mosquitto with the files of `deploy/brokers`, except for its port and its folders, and without TLS. */
export const startMosquitto = async (port: number, users: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roastery-mosquitto-'));
  const brokers = path.join(repositoryRoot(), 'deploy', 'brokers');
  const passwordFile = path.join(folder, 'passwords');
  const settings = readFileSync(path.join(brokers, 'mosquitto.conf'), 'utf8')
    .replace(/^listener 8883\n(?:\w+file .*\n)*tls_version .*\n/m, '')
    .replace(/^listener 1883 .*$/m, `listener ${port} 127.0.0.1`)
    .replace(/^password_file .*$/m, `password_file ${passwordFile}`)
    .replace(/^acl_file .*$/m, `acl_file ${path.join(brokers, 'mosquitto.acl')}`);
  writeFileSync(path.join(folder, 'mosquitto.conf'), `${settings}user ${userInfo().username}\n`);
  const lines = Object.entries(users).map(([name, password]) => `${name}:${password}\n`);
  writeFileSync(passwordFile, lines.join(''), { mode: 0o600 });
  if (lines.length > 0) changePasswords('-U', passwordFile);
  const child = spawn(mosquittoProgram, ['-c', path.join(folder, 'mosquitto.conf')], { stdio: 'ignore' });
  const reload = (): void => void child.kill('SIGHUP');
  await untilListening(port);
  return {
    pid: child.pid ?? 0,
    addUser(name: string, password: string): void {
      changePasswords('-b', passwordFile, name, password);
      reload();
    },
    removeUser(name: string): void {
      changePasswords('-D', passwordFile, name);
      reload();
    },
    async close(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
