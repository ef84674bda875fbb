import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStages } from './dockerfile.ts';
import { rehearse, type RehearsedStage } from './image-rehearsal.ts';
import { read, root } from './program-files.ts';

const wanted = process.env['REHEARSE_IMAGES'] === '1';

/** Environment of a program in an image; only PATH is from this computer. */
const bare = (stage: RehearsedStage, more: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  // Its process id is stored here, and not where the health check would count misses of a program that is still
  // starting.
  TMPDIR: stage.folder,
  ...stage.env,
  ...more,
});

describe.skipIf(!wanted)(
  'images, built in folders (skipped: takes minutes and the registry; set REHEARSE_IMAGES=1)',
  () => {
    let folder = '';
    let built = new Map<string, RehearsedStage>();
    const image = (name: string): RehearsedStage => {
      const stage = built.get(name);
      if (!stage) throw new Error(`no image ${name}`);
      return stage;
    };
    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'roastery-images-'));
      built = rehearse(readStages(read('Dockerfile')), root, folder);
    }, 900_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

    it('the broker starts from its image only, is healthy, and stops on SIGTERM', async () => {
      const stage = image('broker');
      const [program = '', ...rest] = stage.command;
      const managementPort = '28083';
      const child = spawn(program, rest, {
        cwd: path.join(stage.folder, stage.workdir),
        env: bare(stage, { BROKER_SECRET: 'x'.repeat(20), MQTT_PORT: '0', MANAGEMENT_PORT: managementPort }),
        stdio: 'inherit',
      });
      const health = () =>
        spawnSync('node', ['deploy/healthcheck.mjs', `http://127.0.0.1:${managementPort}/healthz`], {
          cwd: path.join(stage.folder, stage.workdir),
        }).status;
      for (let attempt = 0; attempt < 50 && health() !== 0; attempt++) await sleep(200);
      expect(health()).toBe(0);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([0, null]);
    });

    it('the api finds all its imports, and without an environment prints one line with the missing variables', () => {
      const stage = image('api');
      const [program = '', ...rest] = stage.command;
      const result = spawnSync(program, rest, {
        cwd: path.join(stage.folder, stage.workdir),
        env: bare(stage, {}),
        encoding: 'utf8',
      });
      expect(result.stdout + result.stderr).toMatch(/DATABASE_URL/);
      expect(result.status).toBe(2);
    });
  },
);
