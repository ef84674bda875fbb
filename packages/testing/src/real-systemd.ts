import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { repositoryRoot } from './shared-data.ts';
import { until } from './until.ts';

const systemd = '/lib/systemd/systemd';

/** Units that would change this machine's kernel, or wait for devices that a namespace doesn't have. */
const masked = [
  'systemd-sysctl.service',
  'systemd-binfmt.service',
  'systemd-modules-load.service',
  'systemd-udevd.service',
  'systemd-udev-trigger.service',
  'systemd-udevd-control.socket',
  'systemd-udevd-kernel.socket',
  'systemd-hwdb-update.service',
  'systemd-random-seed.service',
  'systemd-remount-fs.service',
  'systemd-timesyncd.service',
  'systemd-pstore.service',
  'proc-sys-fs-binfmt_misc.automount',
  'proc-sys-fs-binfmt_misc.mount',
  'sys-kernel-debug.mount',
  'sys-kernel-tracing.mount',
  'sys-kernel-config.mount',
  'sys-fs-fuse-connections.mount',
  'dev-hugepages.mount',
  'dev-mqueue.mount',
  'kmod-static-nodes.service',
];

/**
 * This machine's own system under an overlay that receives every change, with devices, network and cgroups of its own.
 */
const layer = (folder: string): string => `
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs ${folder}
mkdir ${folder}/upper ${folder}/work ${folder}/root
mount -t overlay overlay -o lowerdir=/,upperdir=${folder}/upper,workdir=${folder}/work ${folder}/root
cd ${folder}/root`;

const boot = (folder: string): string => `${layer(folder)}
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs etc/systemd/system
mount -t tmpfs -o mode=755 tmpfs dev
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p opt/roastery
mount --rbind '${repositoryRoot()}' opt/roastery
[ -e usr/bin/node ] || : >usr/bin/node
[ usr/bin/node -ef '${process.execPath}' ] || mount --bind '${process.execPath}' usr/bin/node
rm -f usr/sbin/policy-rc.d
# Each dpkg would read all manual pages of this machine anew.
rm -f var/lib/man-db/auto-update
for unit in ${masked.join(' ')}; do ln -s /dev/null etc/systemd/system/$unit; done
# In a chroot the kernel makes no user namespace, which PrivateUsers= needs.
pivot_root . mnt
cd /
umount -l mnt
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin ${systemd} --system --unit=basic.target --log-target=null`;

/**
 * Puts the shell into a cgroup of its own, and removes that. Two systems in one cgroup would both have the units of one name in one
 * place, and none of them could end the processes of such a unit.
 */
const cgroupAt = (folder: string): string => `mount -t cgroup2 cgroup2 ${folder}
own=${folder}$(sed -n 's/^0:://p' /proc/self/cgroup)/${basename(folder)}`;
const enterCgroup = (folder: string): string => `set -e
${cgroupAt(folder)}
mkdir "$own"
echo $$ >"$own/cgroup.procs"
umount ${folder}`;
const removeCgroup = (folder: string): string => `${cgroupAt(folder)}
for try in 1 2 3 4 5 6 7 8 9 10; do
    find "$own" -depth -type d -exec rmdir {} + 2>/dev/null
    [ -d "$own" ] || break
    sleep 0.2
done`;

const tools = [
  'unshare',
  'nsenter',
  'pivot_root',
  'mount',
  'systemctl',
  'journalctl',
  'dpkg',
  'dpkg-deb',
  'deb-systemd-helper',
];

/** Why no systemd can be started here; undefined where one can. */
const findObstacle = (): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not root on Linux';
  const missing = [systemd, ...tools].filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  );
  if (missing.length > 0) return `without ${missing.join(', ')}`;
  const folder = mkdtempSync(join(tmpdir(), 'layer-'));
  const tried = spawnSync(
    'unshare',
    ['-m', '-p', '-f', '-n', '-C', 'sh', '-c', `${layer(folder)}\nmount -t cgroup2 cgroup2 mnt`],
    { encoding: 'utf8' },
  );
  rmSync(folder, { recursive: true });
  return tried.status === 0 ? undefined : `no namespace, overlay or cgroup2 here: ${tried.stderr.trim()}`;
};

export const whyNoSystemd = findObstacle();

export interface Ran {
  readonly code: number;
  readonly said: string;
}

/**
 * Starts this machine's own systemd as the first process of a namespace, on a copy of this machine that is removed
 * afterwards. Units run unchanged, with every restriction; dpkg and systemctl work as on a board. The repository is at
 * /opt/roastery.
 */
export const bootSystemd = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
  const script = join(folder, 'boot.sh');
  writeFileSync(script, boot(folder));
  const start = `${enterCgroup(folder)}\nexec unshare -p -f -u -i -C -n --kill-child sh -c "$(cat ${script})"`;
  const child = spawn('unshare', ['-m', 'sh', '-c', start], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (data) => (complaints += String(data)));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
    spawnSync('unshare', ['-m', 'sh', '-c', removeCgroup(folder)]);
    rmSync(folder, { recursive: true, force: true });
  };
  const firstProcess = (): number | undefined => {
    const found = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0];
    return found === undefined || found === '' ? undefined : Number(found);
  };
  /** A command inside, as root. */
  const run = (command: string): Promise<Ran> =>
    new Promise((resolve) => {
      const inside = ['-t', String(firstProcess()), '-m', '-p', '-u', '-i', '-C', '-n', '-r', '-w', '--'];
      const shell = execFile(
        'nsenter',
        [
          ...inside,
          'env',
          '-i',
          'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
          'DEBIAN_FRONTEND=noninteractive',
          'sh',
          '-c',
          command,
        ],
        { timeout: 300_000, encoding: 'utf8' },
        (_error, out, err) => resolve({ code: shell.exitCode ?? -1, said: `${out}${err}`.trim() }),
      );
    });
  try {
    await until(
      'systemd to be up',
      async () => {
        if (child.exitCode !== null) throw new Error(`systemd ended: ${complaints}`);
        const { said } = await run('systemctl is-system-running');
        if (/^(running|degraded)$/.test(said)) return true;
        throw new Error(`${said} ${complaints}`);
      },
      { timeoutMs: 30_000, everyMs: 200 },
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    run,
    /** Like `run`; throws with the output of the command unless it ends with 0. */
    async must(command: string): Promise<string> {
      const { code, said } = await run(command);
      if (code !== 0) throw new Error(`${command}: exit ${code}: ${said}`);
      return said;
    },
    /** A path inside as this process reaches it. */
    pathTo: (path: string): string => join(`/proc/${firstProcess()}/root`, path),
    close,
    [Symbol.asyncDispose]: close,
  };
};
export type RealSystemd = Awaited<ReturnType<typeof bootSystemd>>;
