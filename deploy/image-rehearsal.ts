import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readCopy, type Stage } from './dockerfile.ts';

/** What Dockerfile.dockerignore leaves out of the build context. */
const ignored = /(^|\/)(node_modules|dist|\.turbo|\.git)(\/|$)|\.tsbuildinfo$|\.test\.tsx?$/;

/** A stage that was built in a folder instead of an image. */
export interface RehearsedStage {
  readonly folder: string;
  readonly workdir: string;
  readonly env: Record<string, string>;
  readonly command: string[];
}

/**
 * Executes the stages of a Dockerfile in folders: COPY, RUN, ENV, WORKDIR and CMD like Docker, without its isolation;
 * USER, EXPOSE and HEALTHCHECK have no effect. This computer replaces the base images: only Node and a shell are
 * needed. Throws with the output of the first RUN that fails.
 */
export const rehearse = (stages: Stage[], context: string, target: string): Map<string, RehearsedStage> => {
  const done = new Map<string, RehearsedStage>();
  for (const { name, base, instructions } of stages) {
    const folder = path.join(target, name);
    const parent = done.get(base);
    mkdirSync(folder, { recursive: true });
    if (parent) cpSync(parent.folder, folder, { recursive: true, verbatimSymlinks: true });
    let workdir = parent?.workdir ?? '/';
    const env = { ...parent?.env };
    let command: string[] = [];
    for (const { name: instruction, rest, line } of instructions) {
      if (instruction === 'WORKDIR') {
        workdir = path.posix.join(workdir, rest);
        mkdirSync(path.join(folder, workdir), { recursive: true });
      } else if (instruction === 'ENV') {
        const [key = '', ...value] = rest.split('=');
        env[key] = value.join('=');
      } else if (instruction === 'CMD') {
        command = JSON.parse(rest) as string[];
      } else if (instruction === 'COPY') {
        const { from, sources, target: to } = readCopy(rest);
        const origin = from === undefined ? context : done.get(from)?.folder;
        if (origin === undefined) throw new Error(`line ${line}: stage ${from} is not there yet`);
        for (const source of sources) {
          const absolute = path.join(origin, source);
          const intoFolder = to.endsWith('/') && !statSync(absolute).isDirectory();
          const place = path.join(folder, workdir, to, intoFolder ? path.basename(source) : '');
          cpSync(absolute, place, {
            recursive: true,
            verbatimSymlinks: true,
            filter: (each) => from !== undefined || !ignored.test(path.relative(context, each)),
          });
        }
      } else if (instruction === 'RUN') {
        const result = spawnSync('sh', ['-c', rest], {
          cwd: path.join(folder, workdir),
          env: { ...process.env, NODE_ENV: undefined, ...env },
          encoding: 'utf8',
        });
        if (result.status !== 0) throw new Error(`line ${line}: ${rest}\n${result.stdout}${result.stderr}`);
      }
    }
    if (!existsSync(path.join(folder, workdir))) throw new Error(`stage ${name} has no ${workdir}`);
    done.set(name, { folder, workdir, env, command });
  }
  return done;
};
