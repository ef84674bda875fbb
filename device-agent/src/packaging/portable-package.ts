import { gzipSync } from 'node:zlib';
import { portablePackageName } from '@roastery/contract/board-packages';
import { tarOf } from '../core/tar.ts';
import { bundledPackages } from './board-package.ts';
import { packageFile as file } from './deb.ts';
import type { ProgramBundle } from './program-bundle.ts';

/**
 * The agent for any computer with Node, as npm installs it from an address: the program without the native part of serial ports. The
 * same bytes for the same program.
 */
export const portablePackage = (
  bundle: ProgramBundle,
  { version, seconds }: { readonly version: string; readonly seconds: number },
): { readonly fileName: string; readonly content: Buffer } => {
  const manifest = {
    name: 'roastery-agent',
    version,
    description: 'Sends the roasts of a computer with Artisan to the portal',
    license: 'MIT',
    type: 'module',
    bin: { 'device-agent': 'dist/main.js' },
    engines: { node: '>=20.19' },
  };
  const entries = [
    file('package/bundled-packages.txt', bundledPackages(bundle.packages)),
    file('package/package.json', `${JSON.stringify(manifest, null, 2)}\n`),
    ...[...bundle.files].map(([path, text]) =>
      file(`package/dist/${path}`, text, text.startsWith('#!') ? 0o755 : 0o644),
    ),
  ];
  return { fileName: portablePackageName(version), content: gzipSync(tarOf(entries, seconds), { level: 9 }) };
};
