import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCopy, readStages } from './dockerfile.ts';
import { here, read, root, scriptsOf } from './program-files.ts';

const text = read('Dockerfile');
const stages = readStages(text);
const copies = stages.flatMap(({ instructions }) =>
  instructions.filter(({ name }) => name === 'COPY').map(({ line, rest }) => ({ line, ...readCopy(rest) })),
);

describe('Dockerfile', () => {
  it('copies only from stages and paths that exist', () => {
    const names = stages.map(({ name }) => name);
    expect(copies.filter(({ from }) => from !== undefined && !names.includes(from))).toEqual([]);
    const fromContext = copies.filter(({ from }) => from === undefined);
    expect(fromContext.filter(({ sources }) => !sources.every((each) => existsSync(path.join(root, each))))).toEqual(
      [],
    );
    expect(existsSync(path.join(root, 'api/src/db/migrations'))).toBe(true);
  });

  it('installs with the manifest of every workspace in the lock file', () => {
    const workspaces = readdirSync(path.join(root, 'packages'))
      .map((name) => `packages/${name}`)
      .concat('api', 'broker', 'device-agent', 'portal');
    const copied = copies.flatMap(({ sources }) => sources);
    expect(workspaces.filter((workspace) => !copied.includes(`${workspace}/package.json`))).toEqual([]);
  });

  it('builds with existing scripts and starts built programs', () => {
    const built = [...text.matchAll(/--filter=@roastery\/(\S+)/g)].map(([, workspace = '']) => workspace);
    expect(built.sort()).toEqual(['api', 'broker', 'portal']);
    expect(built.filter((workspace) => scriptsOf(workspace)['build'] === undefined)).toEqual([]);
    const started = [...text.matchAll(/"deploy\/run-watched\.sh", "(\w+)\/dist\/program\/main\.js"/g)].map(
      ([, workspace = '']) => workspace,
    );
    expect(started.sort()).toEqual(['api', 'broker']);
    expect(started.filter((workspace) => !existsSync(path.join(root, workspace, 'src/main.ts')))).toEqual([]);
  });

  it('runs no program as root, checks the health of each, and runs no install script', () => {
    const run = stages.filter(({ instructions }) => instructions.some(({ name }) => name === 'CMD'));
    const of = (name: string) => run.map(({ instructions }) => instructions.find((each) => each.name === name)?.rest);
    expect(of('USER')).toEqual(['node', 'node']);
    expect(of('HEALTHCHECK').every((rest) => rest?.includes('healthcheck.mjs'))).toBe(true);
    const installs = stages.flatMap(({ instructions }) => instructions.filter(({ rest }) => rest.includes('npm ci')));
    expect(installs.filter(({ rest }) => !rest.includes('--ignore-scripts'))).toEqual([]);
  });
});

describe('scripts', () => {
  it('parse as plain shell', () => {
    const scripts = readdirSync(here).filter((name) => name.endsWith('.sh'));
    expect(scripts.filter((script) => spawnSync('sh', ['-n', path.join(here, script)]).status !== 0)).toEqual([]);
  });
});
