import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFor } from './board-package.ts';
import { architectures, bundleProgram, type ProgramBundle } from './program-bundle.ts';

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const withDpkg = has('dpkg-deb');
const withLintian = has('lintian');
const folder = mkdtempSync(join(tmpdir(), 'board-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let bundle: ProgramBundle;
beforeAll(async () => {
  bundle = await bundleProgram();
  for (const architecture of architectures)
    writeFileSync(join(folder, `${architecture}.deb`), packageFor(architecture, bundle, {}).content);
});
const deb = (architecture: string): string => join(folder, `${architecture}.deb`);
const hash = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const dpkg = (...words: string[]): string => execFileSync('dpkg-deb', words, { encoding: 'utf8' });

/** Number of the processor in an ELF file, as the format's registry has it. */
const processors = { amd64: 62, arm64: 183, armhf: 40 } as const;

describe('the package for a board', () => {
  it('is reproducible byte for byte', async () => {
    const again = await bundleProgram();
    for (const architecture of architectures) {
      expect(hash(packageFor(architecture, again, {}).content)).toBe(hash(readFileSync(deb(architecture))));
    }
    const later = packageFor('arm64', again, { SOURCE_DATE_EPOCH: '1800000000' }).content;
    expect(later.equals(readFileSync(deb('arm64')))).toBe(false);
  });

  it.skipIf(!withDpkg).each(architectures)('is accepted by dpkg, for %s (skipped without dpkg-deb)', (architecture) => {
    const fields = dpkg('--field', deb(architecture));
    expect(fields).toMatch(new RegExp(`^Architecture: ${architecture}$`, 'm'));
    expect(fields).toMatch(/^Depends: .*nodejs \(>= 20\.19\)/m);
    const root = join(folder, architecture);
    dpkg('--raw-extract', deb(architecture), root);
    const native = readFileSync(join(root, 'usr/lib/roastery-agent/dist/serialport.node'));
    expect(native.readUInt16LE(18)).toBe(processors[architecture]);
    const sums = readFileSync(join(root, 'DEBIAN/md5sums'), 'utf8').trim().split('\n');
    for (const line of sums) {
      const [sum = '', path = ''] = line.split('  ');
      expect(
        createHash('md5')
          .update(readFileSync(join(root, path)))
          .digest('hex'),
      ).toBe(sum);
    }
    expect(readFileSync(join(root, 'DEBIAN/conffiles'), 'utf8')).toBe('/etc/roastery-agent/settings.env\n');
    expect(statSync(join(root, 'DEBIAN/postinst')).mode & 0o777).toBe(0o755);
  });

  it.skipIf(!withDpkg)('runs from its unpacked folder without other packages (skipped without dpkg-deb)', () => {
    const root = mkdtempSync(join(folder, 'root-'));
    dpkg('--extract', deb('amd64'), root);
    const program = join(root, 'usr/lib/roastery-agent/dist/main.js');
    const help = execFileSync(process.execPath, [program, '--help'], { cwd: root, encoding: 'utf8', env: {} });
    expect(help).toContain('device-agent doctor');
    const run = spawnSync(process.execPath, [program, 'run'], { cwd: root, encoding: 'utf8', env: {} });
    expect(run.status).toBe(2);
    expect(run.stdout).toMatch(/API_URL.*MACHINE_SERIAL.*MACHINE_TOKEN/);
    const said = (...words: string[]) =>
      spawnSync(process.execPath, [program, ...words], { cwd: root, encoding: 'utf8', env: {} }).stderr;
    expect(said('doktor')).toMatch(/^Unknown command "doktor"\./);
    expect(said('pair', 'PAIR', 'BCDF', 'GHJK')).toMatch(
      /^Unexpected argument "BCDF GHJK" after pair: give the ticket/,
    );
    const manual = gunzipSync(readFileSync(join(root, 'usr/share/man/man1/device-agent.1.gz'))).toString();
    for (const [command] of help.matchAll(/(?<=^ {2}device-agent )[\w-]+/gm))
      expect(manual, `the manual says nothing about ${command}`).toContain(command);
  });

  it('includes the licence texts of every bundled package', () => {
    expect(bundle.packages.map((path) => path.split('node_modules/').at(-1))).toEqual(
      expect.arrayContaining(['mqtt', 'modbus-serial', '@serialport/bindings-cpp', 'pino', 'zod']),
    );
    const licences = bundle.packages.map(
      (path) => (JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { license?: string }).license,
    );
    expect(licences.filter((licence) => !/^(MIT|ISC|BSD|Apache|0BSD|BlueOak)/.test(licence ?? ''))).toEqual([]);
  });

  it.skipIf(!withLintian)(
    'passes lintian without findings (skipped where lintian is not installed)',
    () => {
      const said = spawnSync('lintian', ['--fail-on', 'error,warning', '--allow-root', deb('arm64')], {
        encoding: 'utf8',
      });
      expect(said.stdout).toBe('');
      expect(said.status).toBe(0);
    },
    60_000,
  );
});
