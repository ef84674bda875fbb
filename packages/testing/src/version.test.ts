import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from '@roastery/contract/openapi';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './shared-data.ts';
import { readDocuments } from './source-files.ts';

const read = (file: string): string => readFileSync(path.join(repositoryRoot(), file), 'utf8');
const readPackage = (folder: string): { version: string; dependencies?: Record<string, string> } =>
  JSON.parse(read(path.join(folder, 'package.json')));

const { version } = readPackage('.');
const packages = ['contract', 'roasting', 'runtime', 'simulator', 'stack', 'testing', 'lab'].map(
  (name) => `packages/${name}`,
);
const workspaces = [...packages, 'api', 'broker', 'device-agent', 'portal'];

describe('version', () => {
  it.each(workspaces)('of %s and of what it uses of the others is that of the repository', (folder) => {
    const { version: own, dependencies = {} } = readPackage(folder);
    const used = Object.entries(dependencies).filter(([name]) => name.startsWith('@roastery/'));
    expect([own, ...used.map(([, wanted]) => wanted)].filter((one) => one !== version)).toEqual([]);
  });

  it('of the OpenAPI document, the chart, its images and the package of the board is the same', () => {
    expect(openApiDocument().info.version).toBe(version);
    expect(read('deploy/helm/Chart.yaml')).toMatch(new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'));
    expect(read('deploy/helm/values.yaml')).toMatch(new RegExp(`^ {2}tag: ${version}$`, 'm'));
    expect(read('deploy/board/changelog')).toMatch(new RegExp(`^roastery-agent \\(${version}\\) `));
  });

  it('has no release before it in the documents: earlier states are named by their commit', async () => {
    const named = (await readDocuments()).flatMap(({ path: file, text }) =>
      [...text.matchAll(/\b(?:after|up to|before|since) \d+\.\d+\.\d+\b/g)].map(([words]) => `${file}: ${words}`),
    );
    expect(named).toEqual([]);
  });
});
