import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseMachineMap, mapFromServer } from './machine-map-file.ts';
import { secretFor } from './pairing/pending-secret.ts';
import { planFile, readPlanBook } from './plan/plan-store.ts';
import { emptyPlanBook } from './plan/plan-book.ts';

/** A card that was damaged or edited: own properties on which checks of a schema throw, and endless nesting. */
const hostile = [
  '',
  'null',
  '[]',
  '{"length":{"toString":1}}',
  '{"v":1,"id":{"length":{"toString":1}},"maker":{"length":{"toString":1}},"channels":{"length":{"toString":1}}}',
  '{"v":1,"waiting":{"length":{"toString":1}},"running":null,"taken":{"length":{"toString":1}}}',
  '{"ticket":{"length":{"toString":1}},"api":{"length":{"toString":1}},"secret":{"length":{"toString":1}}}',
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];

describe('hostile content in the board’s files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hostile-files-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const log = createLogger('test', 'silent');

  it.each(hostile)('start: ignores a pushed map, a plan book and a pending secret of %#', async (text) => {
    await writeFile(join(folder, 'machine-map.json'), text);
    await writeFile(planFile(folder), text);
    await writeFile(join(folder, 'pairing.json'), text);
    expect(await chooseMachineMap(folder, undefined, log)).toBeUndefined();
    expect(await readPlanBook(folder)).toEqual({ book: emptyPlanBook, trouble: expect.any(String) });
    expect(await secretFor(folder, 'ticket', 'http://127.0.0.1')).toMatch(/^[\w-]{43}$/);
  });

  it('map of the server: reports the error instead of throwing', () => {
    for (const text of hostile.slice(2)) expect(mapFromServer(JSON.parse(text))).toHaveProperty('trouble');
  });
});
