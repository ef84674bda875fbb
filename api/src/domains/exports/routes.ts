import * as contract from '@roastery/contract/exports';
import type { Roast } from '@roastery/contract/roasts';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import { localDay } from '../../format/format.ts';
import { readyJob, type ReadyJob } from '../../file-reading/file-job.ts';
import { AppError } from '../../http/app-error.ts';
import { fileAnswer, streamedFile } from '../../http/file-answer.ts';
import { preferencesOf } from '../../identity/preferences.ts';
import { makeRoastFile, makeRoastList, reportChannels, type RoastFileRequest } from './export-jobs.ts';
import type { GatheredRoast } from './exported-roast.ts';
import { gatherRoast } from './gather-roast.ts';
import { importedAlog } from './imported-alog.ts';
import { readLetterhead } from './letterhead.ts';
import { gatherRoastList, roastListCsv } from './roast-list.ts';

const csvType = 'text/csv; charset=utf-8';

const today = async ({ sql }: UserContext): Promise<string> => localDay(await readTimeZone(sql));

/** Makes the file of a roast when its turn has come. */
const roastFile = async (
  { files, sql, user }: UserContext,
  { params, signal }: { readonly params: { readonly id: string }; readonly signal: AbortSignal },
  { ending, type, only }: { readonly ending: string; readonly type: string; readonly only?: readonly string[] },
  readyFor: (roast: GatheredRoast) => Promise<ReadyJob<string | Uint8Array<ArrayBuffer>>>,
): Promise<Response> => {
  let name = '';
  const content = await files.make(user.id, async () => {
    if (signal.aborted) throw new AppError('not_ready', 'The request was broken off.');
    const gathered = await gatherRoast(sql, user, params.id, only);
    name = roastFileName(gathered.roast, ending);
    return readyFor(gathered);
  });
  return fileAnswer(content, type, attachment(name));
};

const readyRoast = (request: RoastFileRequest) => readyJob(makeRoastFile, new Uint8Array(), request);

const unitOf = ({ user }: UserContext) => preferencesOf(user.preferences).temperature_unit;

/** Mounted before the roasts: `export` is not an id. */
export const exportRoutes: Domain = (routes) => {
  routes.forUser(contract.exportRoastXlsx, (context, input) =>
    roastFile(context, input, { ending: 'xlsx', type: contract.spreadsheetType }, async (roast) =>
      readyRoast({
        roast,
        format: 'xlsx',
        timeZone: await readTimeZone(context.sql),
        preferences: preferencesOf(context.user.preferences),
      }),
    ),
  );
  routes.forUser(contract.exportRoastCsv, (context, input) =>
    roastFile(context, input, { ending: 'csv', type: csvType }, async (roast) =>
      readyRoast({ roast, format: 'csv', unit: unitOf(context) }),
    ),
  );
  routes.forUser(contract.exportRoastAlog, (context, input) =>
    roastFile(
      context,
      input,
      { ending: 'alog', type: 'application/octet-stream' },
      async (roast) =>
        (await importedAlog(context, roast)) ?? readyRoast({ roast, format: 'alog', unit: unitOf(context) }),
    ),
  );
  routes.forUser(contract.exportRoastPdf, (context, input) =>
    roastFile(context, input, { ending: 'pdf', type: 'application/pdf', only: reportChannels }, async (roast) =>
      readyRoast({
        roast,
        format: 'pdf',
        letterhead: await readLetterhead(context.sql),
        unit: input.query.temperature_unit,
        preferences: preferencesOf(context.user.preferences),
      }),
    ),
  );
  routes.forUser(contract.exportRoastsCsv, async (context, { query }) =>
    streamedFile(roastListCsv(context, query), csvType, attachment(`roasts-${await today(context)}.csv`)),
  );
  routes.forUser(contract.exportRoastsXlsx, async (context, { query }) => {
    const content = await context.files.make(context.user.id, async () => {
      const { rows, table } = await gatherRoastList(context, query);
      return readyJob(makeRoastList, rows, table);
    });
    return fileAnswer(content, contract.spreadsheetType, attachment(`roasts-${await today(context)}.xlsx`));
  });
};

/** `R-11 Guji.xlsx`, without characters that a file system can't store. */
export const roastFileName = ({ said_number: number, coffee_name: coffee }: Roast, ending: string): string => {
  const words = `${number}${coffee === null ? '' : ` ${coffee}`}`
    // oxlint-disable-next-line no-control-regex -- the pattern finds the control characters to remove
    .replaceAll(/[\u0000-\u001f\u007f\\/:*?"<>|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 120);
  return `${words}.${ending}`;
};

/** A download under this name: plain ASCII for old clients, UTF-8 for all others (RFC 6266). */
export const attachment = (fileName: string): string => {
  const ascii = fileName.replaceAll(/[^\u0020-\u007e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};
