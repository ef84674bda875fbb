import { join } from 'node:path';
import { machineFileOutcomes } from '@roastery/contract/machine-files';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import type { Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { readFileIfThere, writeFileAtomically } from '../atomic-file.ts';

/** The result for one content. A refused one is not sent again. */
const fateShape = z.object({
  outcome: z.enum([...machineFileOutcomes, 'refused']),
  reason: z.string().max(300).optional(),
  at: z.number(),
  /** The owner for whom the server keeps it; absent before the server has stated it. */
  owner: z.string().optional(),
});
export type FileFate = z.infer<typeof fateShape>;

/** A file as of the last time its content was read. */
const seenShape = z.object({ size: z.number(), mtimeMs: z.number(), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
export type SeenFile = z.infer<typeof seenShape>;

/** The version of a file, and how often it was begun. */
const triesShape = z.object({ size: z.number(), mtimeMs: z.number(), count: z.number() });
/** A power cut may end one. */
const maxTries = 2;

type FileVersion = Pick<SeenFile, 'size' | 'mtimeMs'>;
const isSameVersion = (a: FileVersion, b: FileVersion): boolean => a.size === b.size && a.mtimeMs === b.mtimeMs;

const memoryShape = z.object({
  v: z.literal(1),
  /** Files that were changed before this are ignored; null takes all. */
  sinceMs: z.number().nullable(),
  /** By SHA-256 of the content. */
  fates: z.record(z.string(), fateShape),
  /** By name. */
  seen: z.record(z.string(), seenShape),
  /** Reads that were begun and not ended, by name: the agent did not survive them. */
  tries: z.record(z.string(), triesShape).optional(),
});

/** The oldest are removed first; if such a file is renamed, the server answers that it knows it. */
const maxContents = 20_000;

/** The files that this computer has sent: on disk, so that a restart sends nothing twice. */
export const openFileMemory = async (dataDir: string, firstSinceMs: number | null, log: Logger) => {
  const path = join(dataDir, 'artisan-files.json');
  let isFailing = false;
  /**
   * A failing disk does not stop the sending: until it works again, a restart sends files that the server already has.
   */
  const fail = (error: unknown): undefined => {
    if (!isFailing) log.warn({ reason: String(error) }, 'artisan: file memory write failed');
    isFailing = true;
  };
  const text = await readFileIfThere(path).catch(fail);
  const parsed = text === undefined ? undefined : parseJson(memoryShape, text);
  if (parsed !== undefined && !parsed.success)
    log.warn({ reason: describeRefusal(parsed) }, 'artisan: file memory reset');
  const kept = parsed?.success ? parsed.data : undefined;
  const sinceMs = kept === undefined ? firstSinceMs : kept.sinceMs;
  const fates = new Map(Object.entries(kept?.fates ?? {}));
  const seen = new Map(Object.entries(kept?.seen ?? {}));
  const tries = new Map(Object.entries(kept?.tries ?? {}));
  for (const [file, { count }] of tries) if (count >= maxTries) log.warn({ file }, 'artisan: file ended the agent');

  const save = async (): Promise<void> => {
    for (const sha256 of [...fates.keys()].slice(0, Math.max(0, fates.size - maxContents))) fates.delete(sha256);
    const memory = {
      v: 1,
      sinceMs,
      fates: Object.fromEntries(fates),
      seen: Object.fromEntries(seen),
      tries: Object.fromEntries(tries),
    };
    try {
      await writeFileAtomically(path, `${JSON.stringify(memory)}\n`);
      isFailing = false;
    } catch (error) {
      fail(error);
    }
  };
  if (kept === undefined) await save();

  return {
    sinceMs,
    seen: (name: string): SeenFile | undefined => seen.get(name),
    fate: (sha256: string): FileFate | undefined => fates.get(sha256),
    /** Whether the agent has ended each time that it read this version of a file. */
    isDeadly(name: string, version: FileVersion): boolean {
      const known = tries.get(name);
      return known !== undefined && known.count >= maxTries && isSameVersion(known, version);
    },
    /** Remembers a read before it begins, until `survived`: a file that ends the agent must not do so at each of its starts. */
    async begins(name: string, { size, mtimeMs }: FileVersion): Promise<void> {
      const known = tries.get(name);
      const count = known !== undefined && isSameVersion(known, { size, mtimeMs }) ? known.count : 0;
      tries.set(name, { size, mtimeMs, count: count + 1 });
      await save();
    },
    async survived(name: string): Promise<void> {
      if (tries.delete(name)) await save();
    },
    /** The newest contents, the newest first. */
    newest: (count: number): readonly (FileFate & { name: string })[] =>
      [...seen]
        .flatMap(([name, { sha256 }]) => {
          const fate = fates.get(sha256);
          return fate === undefined ? [] : [{ name, ...fate }];
        })
        .sort((a, b) => b.at - a.at)
        .slice(0, count),
    count: (isWanted: (fate: FileFate) => boolean): number => [...fates.values()].filter(isWanted).length,
    /** Remembers that a file has this content, and the result if it is new. */
    async note(name: string, file: SeenFile, fate?: FileFate): Promise<void> {
      seen.set(name, file);
      if (fate !== undefined) {
        // The newest last.
        fates.delete(file.sha256);
        fates.set(file.sha256, fate);
      }
      await save();
    },
    /** Contents of the files in the folder that the server accepted. */
    taken: (): string[] =>
      [...new Set([...seen.values()].map(({ sha256 }) => sha256))].filter((sha256) => {
        const outcome = fates.get(sha256)?.outcome;
        return outcome !== undefined && outcome !== 'refused' && outcome !== 'deleted';
      }),
    /**
     * Applies the server's statement about contents that it accepted. A content that it lost is forgotten and therefore
     * sent again, only to the owner for whom it was sent. Returns how many.
     */
    async checked(asked: readonly string[], { owner, missing }: { owner: string; missing: readonly string[] }) {
      const isMissing = new Set(missing);
      const lost = new Set<string>();
      let hasLearned = false;
      for (const sha256 of asked) {
        const fate = fates.get(sha256);
        if (fate === undefined) continue;
        if (!isMissing.has(sha256) && fate.owner !== owner) {
          fates.set(sha256, { ...fate, owner });
          hasLearned = true;
        } else if (isMissing.has(sha256) && fate.owner === owner) lost.add(sha256);
      }
      for (const sha256 of lost) fates.delete(sha256);
      for (const [name, { sha256 }] of seen) if (lost.has(sha256)) seen.delete(name);
      if (hasLearned || lost.size > 0) await save();
      return lost.size;
    },
    /** Forgets files whose names no longer exist. */
    keepNames(names: ReadonlySet<string>): void {
      for (const known of [seen, tries]) for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    },
  };
};
export type FileMemory = Awaited<ReturnType<typeof openFileMemory>>;
