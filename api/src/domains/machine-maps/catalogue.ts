import { readdir, readFile } from 'node:fs/promises';
import { machineMapShape, mapIdShape, type MachineMap } from '@roastery/contract/machine-map';
import type { MapSummary } from '@roastery/contract/machine-maps';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { z } from 'zod';

/** Beside `src` and `dist`: data, one file per machine. */
const folder = new URL('../../../catalogue/maps/', import.meta.url);
const earlierFile = new URL('../earlier.json', folder);

/** How earlier revisions differ from their next one. */
const earlierShape = z.strictObject({
  /** Bean and exhaust temperature have each other's place in the next revision; all else is the same. */
  exchanged: z.array(z.strictObject({ rev: z.number().int().min(1), maps: z.array(mapIdShape) })),
  /** Revisions that differ otherwise. */
  whole: z.array(machineMapShape),
});
type Earlier = z.infer<typeof earlierShape>;

/** The fields of a map in a list. */
export const summaryOf = (map: MachineMap): Omit<MapSummary, 'origin' | 'owner_name' | 'saved_at'> => ({
  id: map.id,
  rev: map.rev,
  maker: map.maker,
  model: map.model,
  link_kind: map.link.kind,
  capacity_kg: map.capacityKg ?? null,
  channels: Object.keys(map.channels).length,
  outputs: Object.keys(map.outputs).length,
  verified: map.verified,
});

const readMap = async (id: string): Promise<MachineMap> =>
  parseOrThrow(machineMapShape, JSON.parse(await readFile(new URL(`${id}.json`, folder), 'utf8')));

const readSummaries = async (): Promise<ReadonlyMap<string, MapSummary>> => {
  const names = await readdir(folder);
  const summaries: MapSummary[] = [];
  // One after the other: it takes a few hundredths of a second and keeps one map at a time in memory.
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    const map = await readMap(name.slice(0, -'.json'.length));
    summaries.push({ ...summaryOf(map), origin: 'catalogue', owner_name: null, saved_at: null });
  }
  summaries.sort((a, b) => a.maker.localeCompare(b.maker) || a.model.localeCompare(b.model));
  return new Map(summaries.map((summary) => [summary.id, summary]));
};

/** Tries again at the next call after a failure. */
const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
};

/** Read at the first request, and kept: one line per machine. The maps themselves stay on disk. */
const summariesById = once(readSummaries);

const readEarlier = once(async (): Promise<Earlier> =>
  parseOrThrow(earlierShape, JSON.parse(await readFile(earlierFile, 'utf8'))),
);

/** By maker and model. */
export const catalogueSummaries = async (): Promise<MapSummary[]> => [...(await summariesById()).values()];

/** A map of the catalogue with its summary; undefined for an unknown id. */
export const readCatalogueMap = async (id: string): Promise<{ summary: MapSummary; map: MachineMap } | undefined> => {
  const summary = (await summariesById()).get(id);
  return summary === undefined ? undefined : { summary, map: await readMap(id) };
};

const withExchanged = (map: MachineMap, rev: number): MachineMap => {
  const { bean_temp: bean, exhaust_temp: exhaust } = map.channels;
  if (bean === undefined || exhaust === undefined) throw new Error(`${map.id} has not both temperatures to exchange`);
  return { ...map, rev, channels: { ...map.channels, bean_temp: exhaust, exhaust_temp: bean } };
};

const revisionOf = (newest: MachineMap, rev: number, earlier: Earlier): MachineMap | undefined => {
  if (rev === newest.rev) return newest;
  const whole = earlier.whole.find((map) => map.id === newest.id && map.rev === rev);
  if (whole !== undefined) return whole;
  if (!earlier.exchanged.some((group) => group.rev === rev && group.maps.includes(newest.id))) return undefined;
  const next = revisionOf(newest, rev + 1, earlier);
  return next && withExchanged(next, rev);
};

/** A revision of a map of the catalogue; undefined for an unknown id or revision. */
export const readCatalogueRevision = async (id: string, rev: number): Promise<MachineMap | undefined> => {
  const found = await readCatalogueMap(id);
  return found && revisionOf(found.map, rev, await readEarlier());
};

/** Every revision of a map of the catalogue, newest first; empty for an unknown id. */
export const catalogueRevisions = async (id: string): Promise<MachineMap[]> => {
  const found = await readCatalogueMap(id);
  if (found === undefined) return [];
  const earlier = await readEarlier();
  const revs = Array.from({ length: found.map.rev }, (_, before) => found.map.rev - before);
  return revs.flatMap((rev) => revisionOf(found.map, rev, earlier) ?? []);
};

/** The revisions of a map of the catalogue that name the exhaust temperature bean and the bean temperature exhaust. */
export const exchangedRevs = async (id: string): Promise<readonly number[]> =>
  (await readEarlier()).exchanged.flatMap(({ rev, maps }) => (maps.includes(id) ? [rev] : []));
