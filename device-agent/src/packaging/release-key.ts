import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, relative, isAbsolute } from 'node:path';

const owner = 'Roastery packages';

/** What is said where there is no `gpg`; undefined where there is one. */
export const whyNoGpg =
  spawnSync('gpg', ['--version']).status === 0
    ? undefined
    : 'signing needs the program gpg (Debian: apt install gnupg; macOS: brew install gnupg)';

const lock = (folder: string): void => {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile() || entry.isDirectory())
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
};

const isInside = (folder: string, root: string): boolean => {
  const path = relative(root, folder);
  return !path.startsWith('..') && !isAbsolute(path);
};

/**
 * The key that signs releases, in a folder of gpg's own; it is made at the first use and never leaves that folder. `close`
 * ends the agent that gpg has started for it. Throws where the folder lies in the repository or others can read it.
 */
export const openReleaseKey = (folder: string, repository: string) => {
  if (whyNoGpg !== undefined) throw new Error(whyNoGpg);
  if (isInside(folder, repository))
    throw new Error(
      `the release key must not lie in the repository: set RELEASE_KEY_DIR to a folder outside of ${repository}`,
    );
  const isNew = !existsSync(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) !== 0)
    throw new Error(`other users can read the release key: chmod -R go= ${folder}`);
  const gpg = (words: readonly string[], input?: Buffer): Buffer => {
    const done = spawnSync('gpg', ['--homedir', folder, '--batch', '--yes', '--no-tty', ...words], {
      input,
      maxBuffer: 2 ** 24,
    });
    if (done.status !== 0) throw new Error(`gpg ${words.join(' ')}: ${done.stderr.toString().trim()}`);
    return done.stdout;
  };
  const readFingerprints = (): string[] =>
    [
      ...gpg(['--list-secret-keys', '--with-colons'])
        .toString()
        .matchAll(/^fpr:+([0-9A-F]{40}):/gm),
    ].map(([, found = '']) => found);
  if (readFingerprints().length === 0) {
    gpg(['--passphrase', '', '--quick-generate-key', owner, 'ed25519', 'sign', 'never']);
    lock(folder);
  }
  const [fingerprint = '', ...others] = readFingerprints();
  if (others.length > 0) throw new Error(`${folder} holds several keys: keep one`);
  const sign = (words: readonly string[], content: Buffer): Buffer =>
    gpg(['--local-user', fingerprint, '--digest-algo', 'SHA512', ...words], content);
  return {
    isNew,
    fingerprint,
    /** For boards, in letters. */
    publicKey: gpg(['--armor', '--export-options', 'export-minimal', '--export', fingerprint]),
    signInline: (content: Buffer) => sign(['--clear-sign'], content),
    signApart: (content: Buffer) => sign(['--armor', '--detach-sign'], content),
    [Symbol.dispose]: (): void => {
      spawnSync('gpgconf', ['--homedir', folder, '--kill', 'all']);
    },
  };
};
export type ReleaseKey = ReturnType<typeof openReleaseKey>;
