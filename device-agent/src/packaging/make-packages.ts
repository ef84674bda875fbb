import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageFor, readRelease } from './board-package.ts';
import { portablePackage } from './portable-package.ts';
import { architectures, bundleProgram } from './program-bundle.ts';

// npm run package -w device-agent [-- --out FOLDER]
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const usual = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages');
const folder = resolve(values.out ?? usual);
mkdirSync(folder, { recursive: true });
const bundle = await bundleProgram();
const made = [
  ...architectures.map((architecture) => packageFor(architecture, bundle)),
  portablePackage(bundle, readRelease()),
];
for (const { fileName, content } of made) {
  writeFileSync(join(folder, fileName), content);
  const sum = createHash('sha256').update(content).digest('hex');
  process.stdout.write(`${sum}  ${join(folder, fileName)}\n`);
}
