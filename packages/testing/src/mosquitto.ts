import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** In a folder that is named after the processor. */
const findPlugin = (): string => {
  const files = readdirSync('/usr/lib').map((folder) => `/usr/lib/${folder}/mosquitto_dynamic_security.so`);
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error('mosquitto_dynamic_security.so is not there');
  return found;
};

/**
 * Starts Mosquitto with the files of `deploy/brokers`, except for its port and its folders, and without TLS.
 * @param users of the password file
 */
export const startMosquitto = async (port: number, users: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roastery-mosquitto-'));
  const brokers = path.join(repositoryRoot(), 'deploy', 'brokers');
  const [configFile, passwordFile, machinesFile] = ['mosquitto.conf', 'passwords', 'machines.json'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  const settings = readFileSync(path.join(brokers, 'mosquitto.conf'), 'utf8')
    .replace(/^listener 8883\n(?:\w+file .*\n)*tls_version .*\n/m, '')
    .replace(/^listener 1883 .*$/m, `listener ${port} 127.0.0.1`)
    .replace(/^password_file .*$/m, `password_file ${passwordFile}`)
    .replace(/^acl_file .*$/m, `acl_file ${path.join(brokers, 'mosquitto.acl')}`)
    .replace(/^plugin .*$/m, `plugin ${findPlugin()}`)
    .replace(/^plugin_opt_config_file .*$/m, `plugin_opt_config_file ${machinesFile}`);
  writeFileSync(configFile, `${settings}user ${userInfo().username}\n`);
  const lines = Object.entries(users).map(([name, password]) => `${name}:${password}\n`);
  writeFileSync(passwordFile, lines.join(''), { mode: 0o600 });
  const { status, stderr } = spawnSync(passwords, ['-U', passwordFile], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mosquitto_passwd ended with ${status}: ${stderr}`);
  const forgetMachines = (content = '{}'): void => writeFileSync(machinesFile, content, { mode: 0o600 });
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(mosquittoProgram, ['-c', configFile], { stdio: 'ignore' });
    await untilListening(port);
  };
  const kill = async (): Promise<void> => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  };
  forgetMachines();
  await start();
  return {
    pid: (): number => child?.pid ?? 0,
    start,
    kill,
    /** Certificates, rules and passwords; existing connections are checked again. */
    reload: (): void => void child?.kill('SIGHUP'),
    /** While it does not run: its plugin loses all users, except the given ones. */
    forgetMachines,
    async close(): Promise<void> {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
