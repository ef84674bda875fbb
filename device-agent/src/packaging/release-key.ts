import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, relative, isAbsolute } from 'node:path';

const owner = 'Roastery packages';

/** Why there is no `gpg`; undefined where there is one. */
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
 * The keys that sign releases, in a folder of gpg's own; the first is created at the first use, another one with
 * `another`. They never leave that folder. Disposing ends the agent that gpg has started for it. Throws if the folder
 * lies in the repository or others can read it.
 */
export const openReleaseKeys = (folder: string, repository: string, { another = false } = {}) => {
  if (whyNoGpg !== undefined) throw new Error(whyNoGpg);
  if (isInside(folder, repository))
    throw new Error(
      `the release key must not lie in the repository: set RELEASE_KEY_DIR to a folder outside of ${repository}`,
    );
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
  const before = readFingerprints();
  if (before.length === 0 || another) {
    const name = before.length === 0 ? owner : `${owner} ${before.length + 1}`;
    gpg(['--passphrase', '', '--quick-generate-key', name, 'ed25519', 'sign', 'never']);
    lock(folder);
  }
  const fingerprints = readFingerprints();
  const signers = fingerprints.flatMap((fingerprint) => ['--local-user', fingerprint]);
  const sign = (words: readonly string[], content: Buffer): Buffer =>
    gpg([...signers, '--digest-algo', 'SHA512', ...words], content);
  return {
    /** Created by this call. */
    made: fingerprints.filter((fingerprint) => !before.includes(fingerprint)),
    fingerprints,
    /** For boards, as text: all of them. */
    publicKeys: gpg(['--armor', '--export-options', 'export-minimal', '--export', ...fingerprints]),
    /** Signed by every key: a board needs to know only one of them. */
    signInline: (content: Buffer) => sign(['--clear-sign'], content),
    signApart: (content: Buffer) => sign(['--armor', '--detach-sign'], content),
    [Symbol.dispose]: (): void => {
      spawnSync('gpgconf', ['--homedir', folder, '--kill', 'all']);
    },
  };
};
export type ReleaseKeys = ReturnType<typeof openReleaseKeys>;
