import { groupKinds } from '@roastery/contract/analytics';
import type { Endpoint } from '@roastery/contract/endpoint';
import { endpoints } from '@roastery/contract/endpoints';
import { z } from 'zod';

/** Input and choices of a user, and the records they open. Every list is used in turn. */
export interface Samples {
  readonly ids: Readonly<Record<IdKind, readonly string[]>>;
  /** Words of filters and searches by parameter, or by endpoint and parameter. */
  readonly words: Readonly<Record<string, readonly string[]>>;
}
export type IdKind =
  | 'machine'
  | 'roast'
  | 'blend'
  | 'plan'
  | 'lot'
  | 'recipe'
  | 'recipeWithCurves'
  | 'upload'
  | 'import'
  | 'lotImport'
  | 'map';

/** One request of a page. */
export interface PageCall {
  readonly endpoint: Endpoint;
  /** Readable: the endpoint's name and its input. */
  readonly what: string;
  /** Path parameters of the first, second, … time. */
  readonly params: readonly Readonly<Record<string, string>>[];
  readonly query: Readonly<Record<string, string>>;
  /** Request the last page: its offset is known after the first. */
  readonly isLastPage: boolean;
}

/** Endpoints that no page reads, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  downloadOriginal: 'only imported roasts have a file, and no page reads it by itself',
  watchProbe: 'a stream without an end that only boards fill',
  wallLive: 'a stream without an end; the bench wall measures it',
  machineLive: 'a stream without an end; the bench live-latency measures it',
  machinesLive: 'the same for several machines',
};

/** The record whose id is in the path of an endpoint. */
const idKinds: Readonly<Record<string, IdKind>> = {
  getMachine: 'machine',
  listMachineMembers: 'machine',
  listMemberCandidates: 'machine',
  betweenBatches: 'machine',
  getMachineLessons: 'machine',
  listRoasters: 'machine',
  listMachineAlarmRules: 'machine',
  listRecipeAlarmRules: 'recipe',
  getTimeline: 'machine',
  getPairing: 'machine',
  getRoast: 'roast',
  getRoastPlan: 'roast',
  getRoastCurve: 'roast',
  getRoastCurveColumns: 'roast',
  getLearntCrack: 'roast',
  getForecastBasis: 'roast',
  listRoastAlarms: 'roast',
  exportRoastXlsx: 'roast',
  exportRoastCsv: 'roast',
  exportRoastAlog: 'roast',
  exportRoastPdf: 'roast',
  getBlend: 'blend',
  getPlannedRoast: 'plan',
  getRoastUpload: 'upload',
  getRoastImport: 'import',
  listImportFiles: 'import',
  getLotImport: 'lotImport',
  listLotImportRows: 'lotImport',
  getMachineMap: 'map',
  listMapRevisions: 'map',
  downloadMachineMap: 'map',
  getBoardConfig: 'machine',
  listChannelExchanges: 'machine',
  getChannelCheck: 'machine',
  getLot: 'lot',
  listLotMovements: 'lot',
  getProfile: 'recipe',
  analyticsConsistency: 'recipeWithCurves',
};

/** Whether an endpoint opens one roast. */
export const opensRoast = ({ name }: Endpoint): boolean => idKinds[name] === 'roast';

const pathParameters = (endpoint: Endpoint, samples: Samples): Record<string, string>[][] => {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return [[{}]];
  if (endpoint.name === 'analyticsGroups') return groupKinds.map((by) => [{ by }]);
  if (endpoint.name === 'listOptions') return [[{ category: 'origin' }]];
  const kind = idKinds[endpoint.name];
  if (kind === undefined || names.join(' ') !== 'id') {
    throw new Error(`say in page-calls.ts what stands in the path of ${endpoint.name}, or why it is left out`);
  }
  return [samples.ids[kind].map((id) => ({ id }))];
};

/** Values of a query parameter: each of a closed list, else those of the samples. */
const valuesOf = (endpoint: Endpoint, key: string, shape: z.ZodType, samples: Samples): readonly string[] => {
  const bare = unwrapped(shape);
  if (key === 'ids') return [samples.ids.roast.join(',')];
  if (bare instanceof z.ZodPipe && bare.safeParse('true').success) return ['true'];
  if (bare instanceof z.ZodEnum) return bare.options.map(String);
  const words = samples.words[`${endpoint.name} ${key}`] ?? samples.words[key];
  if (words !== undefined) return words;
  const kind = /^(machine|lot|blend)_id$/.exec(key)?.[1] as 'machine' | 'lot' | 'blend' | undefined;
  if (kind !== undefined) return samples.ids[kind].slice(0, 1);
  if (key === 'profile_id') return samples.ids.recipe.slice(0, 1);
  throw new Error(`say in the samples what people ask of ${endpoint.name} with ${key}`);
};

const unwrapped = (shape: z.ZodType): z.ZodType => {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodDefault || shape instanceof z.ZodNullable) {
    return unwrapped(shape.unwrap() as z.ZodType);
  }
  return shape;
};

/** Several parameters at once, as in a page's address. */
const together: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  listRoasts: [
    { q: 'house', status: 'completed', sort: '-duration_seconds' },
    { level: 'Medium', from: '2020-01-01', sort: 'coffee_name' },
  ],
  listLots: [{ q: 'kochere', status: 'Available', sort: '-current_weight' }],
  analyticsProduction: [{ from: 'YEAR', to: 'TODAY', period: 'week' }],
  analyticsGreen: [{ from: 'YEAR', to: 'TODAY', period: 'month' }],
  exportSummaryPdf: [{ from: 'YEAR', to: 'TODAY' }],
};

/**
 * All reads of pages, from the contract: each endpoint with defaults, with each value of each parameter, and the last
 * page of lists. A new endpoint or parameter is included automatically, or stops the bench with a sentence that says
 * what to add.
 * @param isAdmin whether endpoints for admins are included
 */
export const pageCalls = (samples: Samples, isAdmin: boolean): PageCall[] =>
  endpoints
    .filter(({ method, name }) => method === 'GET' && !(name in leftOut))
    .filter(({ access }) => access === 'user' || access === 'public' || (access === 'admin' && isAdmin))
    .flatMap((endpoint) => {
      const query = endpoint.query instanceof z.ZodObject ? (endpoint.query.shape as Record<string, z.ZodType>) : {};
      const queries = [
        {},
        ...Object.entries(query).flatMap(([key, shape]) =>
          // A list that is saved as a file has the filters of the list; its order is fixed for the whole file.
          key === 'limit' || key === 'offset' || (key === 'sort' && endpoint.produces !== undefined)
            ? []
            : valuesOf(endpoint, key, shape, samples).map((value) => ({ [key]: value })),
        ),
        ...(together[endpoint.name] ?? []).map((asked) => replaced(asked, samples)),
      ];
      return pathParameters(endpoint, samples).flatMap((params) => {
        const call = (asked: Record<string, string>, isLastPage = false): PageCall => ({
          endpoint,
          what: describe(endpoint, params[0] ?? {}, asked, isLastPage),
          params,
          query: asked,
          isLastPage,
        });
        return [...queries.map((asked) => call(asked)), ...('offset' in query ? [call({}, true)] : [])];
      });
    });

const replaced = (asked: Readonly<Record<string, string>>, samples: Samples): Record<string, string> =>
  Object.fromEntries(
    Object.entries(asked).map(([key, value]) => [
      key,
      value === 'YEAR'
        ? (samples.words['from']?.[0] ?? '')
        : value === 'TODAY'
          ? (samples.words['to']?.[0] ?? '')
          : value,
    ]),
  );

const describe = (
  { name, path }: Endpoint,
  params: Record<string, string>,
  asked: Record<string, string>,
  isLastPage: boolean,
): string => {
  const closed = path.includes('{id}') ? '' : Object.values(params).join(' ');
  const query = Object.entries(asked).map(([key, value]) => `${key}=${/^[0-9a-f-]{36}$/.test(value) ? '…' : value}`);
  return [name, closed, ...query, isLastPage ? 'last page' : ''].filter((part) => part !== '').join(' ');
};
