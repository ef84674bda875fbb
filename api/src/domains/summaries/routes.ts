import { exportSummaryPdf, exportSummaryXlsx } from '@roastery/contract/analytics';
import { spreadsheetType } from '@roastery/contract/exports';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { readyJob } from '../../file-reading/file-job.ts';
import { fileAnswer } from '../../http/file-answer.ts';
import { preferencesOf } from '../../identity/preferences.ts';
import type { AnalyticsFilter } from '../analytics/matching.ts';
import { readLetterhead } from '../exports/letterhead.ts';
import { attachment } from '../exports/routes.ts';
import { readPeriodSummary } from './period-summary.ts';
import { makeSummary, type SummaryRequest } from './summary-tables.ts';

/** Makes the file of a span when its turn has come. */
const summaryFile = async (
  context: UserContext,
  filter: AnalyticsFilter,
  format: SummaryRequest['format'],
  type: string,
): Promise<Response> => {
  let name = '';
  const content = await context.files.make(context.user.id, async () => {
    const summary = await readPeriodSummary(context, filter);
    name = `summary-${summary.days.from}-${summary.days.to}.${format}`;
    return readyJob(makeSummary, new Uint8Array(), {
      summary,
      format,
      letterhead: await readLetterhead(context.sql),
      preferences: preferencesOf(context.user.preferences),
      created: new Date(context.clock.now()).toISOString(),
    });
  });
  return fileAnswer(content, type, attachment(name));
};

export const summaryRoutes: Domain = (routes) => {
  routes.forUser(exportSummaryPdf, (context, { query }) => summaryFile(context, query, 'pdf', 'application/pdf'));
  routes.forUser(exportSummaryXlsx, (context, { query }) => summaryFile(context, query, 'xlsx', spreadsheetType));
};
