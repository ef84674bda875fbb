import * as contract from '@roastery/contract/exports';
import type { Roast } from '@roastery/contract/roasts';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { readTimeZone } from '../../db/roastery-time-zone.ts';
import { localDay } from '../../format/format.ts';
import { begun, streamOf } from '../../http/streamed-answer.ts';
import { writeWorkbook } from '../../sheets/write-workbook.ts';
import { gatherRoast } from './gather-roast.ts';
import { formatsOf } from '../../identity/preferences.ts';
import { readLetterhead, roastReport } from './roast-report.ts';
import { reportChannels } from './report-chart.ts';
import { importedAlog } from './imported-alog.ts';
import { roastAlog } from './roast-alog.ts';
import { roastCsv } from './roast-csv.ts';
import { roastListCsv, roastListWorkbook } from './roast-list.ts';
import { roastWorkbook } from './roast-workbook.ts';

const file = (body: Uint8Array<ArrayBuffer>, type: string, name: string): Response =>
  new Response(body, { headers: { 'content-type': type, 'content-disposition': attachment(name) } });

/** A file that is generated while it is sent; generation stops when the client disconnects. */
const streamed = async (
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  type: string,
  name: string,
): Promise<Response> =>
  new Response(streamOf(await begun(pieces)), {
    headers: { 'content-type': type, 'content-disposition': attachment(name) },
  });

const today = async ({ sql }: UserContext): Promise<string> => localDay(await readTimeZone(sql));

/** Mounted before the roasts: `export` is not an id. */
export const exportRoutes: Domain = (routes) => {
  routes.forUser(contract.exportRoastXlsx, async ({ sql, user }, { params }) => {
    const exported = await gatherRoast(sql, user, params.id);
    const sheets = roastWorkbook(exported, await readTimeZone(sql), formatsOf(user));
    return streamed(writeWorkbook(sheets), contract.spreadsheetType, roastFileName(exported.roast, 'xlsx'));
  });
  routes.forUser(contract.exportRoastCsv, async ({ sql, user }, { params }) => {
    const exported = await gatherRoast(sql, user, params.id);
    return streamed(roastCsv(exported), 'text/csv; charset=utf-8', roastFileName(exported.roast, 'csv'));
  });
  routes.forUser(contract.exportRoastAlog, async (context, { params }) => {
    const exported = await gatherRoast(context.sql, context.user, params.id);
    const imported = await importedAlog(context, exported);
    return streamed(
      imported === undefined ? roastAlog(exported) : [imported],
      'application/octet-stream',
      roastFileName(exported.roast, 'alog'),
    );
  });
  routes.forUser(contract.exportRoastPdf, async ({ sql, user }, { params, query }) => {
    const [exported, letterhead] = await Promise.all([
      gatherRoast(sql, user, params.id, reportChannels),
      readLetterhead(sql),
    ]);
    const report = await roastReport(exported, letterhead, query.temperature_unit, formatsOf(user));
    return file(report, 'application/pdf', roastFileName(exported.roast, 'pdf'));
  });
  routes.forUser(contract.exportRoastsCsv, async (context, { query }) =>
    streamed(roastListCsv(context, query), 'text/csv; charset=utf-8', `roasts-${await today(context)}.csv`),
  );
  routes.forUser(contract.exportRoastsXlsx, async (context, { query }) =>
    streamed(roastListWorkbook(context, query), contract.spreadsheetType, `roasts-${await today(context)}.xlsx`),
  );
};

/** `PR-0189abcd Guji.xlsx`, without characters that a file system can't store. */
export const roastFileName = ({ roast_number: number, coffee_name: coffee }: Roast, ending: string): string => {
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
