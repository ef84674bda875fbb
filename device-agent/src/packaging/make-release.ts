import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageFor, readRelease } from './board-package.ts';
import { packageSeconds } from './deb.ts';
import { fetchNode, nodeArchitectures, nodePackageFor } from './node-package.ts';
import { architectures, bundleProgram } from './program-bundle.ts';
import { portablePackage } from './portable-package.ts';
import { openReleaseKeys } from './release-key.ts';
import { billOfMaterials, readText, releaseOf, writeRelease } from './release.ts';

// npm run release [-- --out FOLDER] [--new-key]
const { values } = parseArgs({ options: { out: { type: 'string' }, 'new-key': { type: 'boolean' } } });
const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const out = resolve(values.out ?? join(repository, 'dist', 'release'));
const keyFolder = resolve(process.env['RELEASE_KEY_DIR'] || join(homedir(), '.roastery-release-key'));
const say = (line: string): boolean => process.stdout.write(`${line}\n`);

using keys = openReleaseKeys(keyFolder, resolve(repository), { another: values['new-key'] === true });
for (const fingerprint of keys.made)
  say(
    `Made the release key ${fingerprint} in ${keyFolder}. Keep a copy in a safe place: boards trust these keys alone.`,
  );

const { version, seconds } = readRelease();
const time = packageSeconds(process.env, seconds);
const bundle = await bundleProgram();
const debs = architectures.map((architecture) => packageFor(architecture, bundle, process.env, keys.publicKeys));
const cache = join(repository, 'node_modules', '.cache', 'board-node');
await mkdir(cache, { recursive: true });
for (const architecture of nodeArchitectures) {
  say(`Packing Node.js for ${architecture} …`);
  debs.push(nodePackageFor(architecture, await fetchNode(architecture, cache), time));
}
const files = releaseOf({
  version,
  debs,
  portable: portablePackage(bundle, { version, seconds: time }),
  keys,
  seconds: packageSeconds(process.env, Math.floor(Date.now() / 1000)),
  installScript: await readText(repository, 'deploy', 'board', 'install.sh'),
  changelog: await readText(repository, 'CHANGELOG.md'),
  sbom: await billOfMaterials(repository),
});
await mkdir(dirname(out), { recursive: true });
await writeRelease(out, files);
say(`Release ${version}, signed with ${keys.fingerprints.join(' and ')}: ${out}`);
for (const deb of debs) say(`  ${deb.fileName} ${(deb.content.length / 2 ** 20).toFixed(1)} MiB`);
