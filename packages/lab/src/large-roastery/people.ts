import { me } from '@roastery/contract/auth';
import { apiBasePath } from '@roastery/contract/endpoint';
import { listMachineMaps } from '@roastery/contract/machine-maps';
import { listLotImports } from '@roastery/contract/lot-imports';
import { createRoastImport, listRoastImports } from '@roastery/contract/roast-imports';
import type { Stack } from '@roastery/stack/stack';
import { signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { findSamples } from '@roastery/testing/large-roastery/find-samples';
import type { Caller } from './measure-calls.ts';
import { pageCalls, type PageCall } from '@roastery/testing/large-roastery/page-calls';
import { roaster } from './recorded-roasts.ts';

export interface Person extends Caller {
  readonly who: 'admin' | 'user';
  readonly calls: readonly PageCall[];
}

/** A file as a person uploads one, so that there is a preview to open. */
const sendFile = async ({ cookie }: RoasteryClient, address: string, body: string): Promise<string> => {
  const headers = { cookie, 'content-type': 'application/octet-stream' };
  const answer = await fetch(address, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`a file was answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
};

const uploadRoast = (client: RoasteryClient, origin: string): Promise<string> => {
  const lines = Array.from(
    { length: 600 },
    (_, second) => `${second},${(90 + second / 5).toFixed(1)},${(180 + second / 20).toFixed(1)}`,
  );
  const csv = `time,bean_temp,exhaust_temp\n${lines.join('\n')}\n`;
  return sendFile(client, `${origin}${apiBasePath}/roasts/uploads?file_name=roast.csv`, csv);
};

/** An import of the usual size of a roastery's list. */
const uploadLots = (client: RoasteryClient, origin: string): Promise<string> => {
  const lines = Array.from({ length: 400 }, (_, lot) => `B-${lot},Coffee ${lot},Kenya,60`);
  const csv = `lot,name,origin,weight kg\n${lines.join('\n')}\n`;
  return sendFile(client, `${origin}${apiBasePath}/lot-imports?file_name=lots.csv`, csv);
};

/** The admin and the roaster with their own machines, each with everything that they read. */
export const signInPeople = async (
  { url: origin, databaseUrl, admin }: Pick<Stack, 'url' | 'databaseUrl' | 'admin'>,
  roastIds: string[],
): Promise<Person[]> => {
  const people: Person[] = [];
  for (const [who, credentials] of [
    ['admin', admin],
    ['user', roaster],
  ] as const) {
    const client = await signIn(origin, credentials);
    const { id } = await client.call(me);
    const [map] = (await client.call(listMachineMaps)).maps;
    // A roastery that was kept has the imports of the first run: a user may have only a few open ones.
    if ((await client.call(listRoastImports)).imports.length === 0) await client.call(createRoastImport, { body: {} });
    if ((await client.call(listLotImports)).imports.length === 0) await uploadLots(client, origin);
    const samples = await findSamples(
      databaseUrl,
      { id, isAdmin: who === 'admin' },
      { uploadId: await uploadRoast(client, origin), mapId: map?.id ?? '', roastIds },
    );
    people.push({ who, origin, cookie: client.cookie, calls: pageCalls(samples, who === 'admin') });
  }
  return people;
};
