import { readdir, readFile } from 'node:fs/promises';
import { machineMapShape, type MachineMap } from '@roastery/contract/machine-map';
import type { MapSummary } from '@roastery/contract/machine-maps';
import { parseOrThrow } from '@roastery/contract/parse-shape';

/** Beside `src` and `dist`: data, one file per machine. */
const folder = new URL('../../../catalogue/maps/', import.meta.url);

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

let known: Promise<ReadonlyMap<string, MapSummary>> | undefined;
/** Read at the first request, and kept: one line per machine. The maps themselves stay on disk. */
const summariesById = (): Promise<ReadonlyMap<string, MapSummary>> => {
  known ??= readSummaries().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
};

/** By maker and model. */
export const catalogueSummaries = async (): Promise<MapSummary[]> => [...(await summariesById()).values()];

/** A map of the catalogue with its summary; undefined for an unknown id. */
export const readCatalogueMap = async (id: string): Promise<{ summary: MapSummary; map: MachineMap } | undefined> => {
  const summary = (await summariesById()).get(id);
  return summary === undefined ? undefined : { summary, map: await readMap(id) };
};
