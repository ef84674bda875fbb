import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseMachineMap, keepPushedMap, parseMachineMap } from './machine-map-file.ts';

const log = createLogger('test', 'silent');
const map = (over: object = {}) => ({
  v: 1,
  id: 'demo',
  maker: 'M',
  model: 'M',
  link: { kind: 'tcp', host: '127.0.0.1' },
  channels: { bean_temp: { at: 'h:6' } },
  ...over,
});
const parsed = (over: object = {}) => parseMachineMap(JSON.stringify(map(over)), 'test');

describe('parseMachineMap', () => {
  it.each([
    [{ channels: { bean_temp: { at: '40007' } } }, /channels\.bean_temp\.at: .*write "h:6"/],
    [{ channels: { exhaust_temp: { at: 'h:6' } } }, /channels: bean_temp is missing/],
    [{ channels: { bean_temp: { at: 'h:6', as: 'int' } } }, /channels\.bean_temp\.as: .*"i16"/],
    [{ link: { kind: 'tcp' } }, /link\.host/],
    [{ hz: 50 }, /hz: /],
    [{ chanels: {} }, /chanels/],
  ])('names the position and the correction: %j', (wrong, line) => {
    expect(() => parsed(wrong)).toThrow(line);
    expect(() => parsed(wrong)).not.toThrow(/\n/);
  });
  it('names the position of a JSON error', () => {
    expect(() => parseMachineMap('{"v": 1,}', 'map.json')).toThrow(/machine map map.json is not JSON: .*position/);
  });
});

describe('chooseMachineMap', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'maps-'))));
  afterEach(() => rm(folder, { recursive: true }));
  const file = async (over: object): Promise<string> => {
    const path = join(folder, 'file.json');
    await writeFile(path, JSON.stringify(map(over)));
    return path;
  };

  it('uses the map that the server pushed, unless the file is a newer revision of it', async () => {
    const path = await file({ rev: 2 });
    expect(await chooseMachineMap(folder, path, log)).toMatchObject({ rev: 2 });
    await keepPushedMap(folder, parsed({ rev: 3 }));
    expect(await chooseMachineMap(folder, path, log)).toMatchObject({ rev: 3 });
    expect(await chooseMachineMap(folder, await file({ rev: 4 }), log)).toMatchObject({ rev: 4 });
  });

  it('ignores a damaged stored map', async () => {
    await writeFile(join(folder, 'machine-map.json'), '{"v":');
    expect(await chooseMachineMap(folder, await file({}), log)).toMatchObject({ id: 'demo' });
  });

  it('stops at an invalid file even with a stored map', async () => {
    await keepPushedMap(folder, parsed());
    await expect(chooseMachineMap(folder, await file({ hz: 99 }), log)).rejects.toThrow(/hz/);
    await expect(chooseMachineMap(folder, join(folder, 'none.json'), log)).rejects.toThrow(
      /machine map .* does not exist: check its name/,
    );
    await expect(chooseMachineMap(folder, folder, log)).rejects.toThrow(/is a folder: name the machine map file/);
  });
});
