import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { listRoasts } from './roasts.ts';
import { idShape } from './shapes.ts';

const endpoint = endpointsOf('Roasts');

export const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const oneRoast = (format: string, summary: string, produces: string) =>
  endpoint({
    name: `exportRoast${format.charAt(0).toUpperCase()}${format.slice(1)}`,
    method: 'GET',
    path: `/roasts/{id}/export/${format}`,
    summary,
    right: 'see',
    params: z.object({ id: idShape }),
    produces,
    errors: ['not_found', 'too_large', 'too_many_requests', 'not_ready'],
  });

export const exportRoastXlsx = oneRoast('xlsx', 'A roast as a workbook: summary, curve, marks', spreadsheetType);
export const exportRoastCsv = oneRoast('csv', 'The curve of a roast with its marks, one line per sample', 'text/csv');
export const exportRoastAlog = oneRoast('alog', 'A roast as a file that Artisan opens', 'application/octet-stream');

export const exportRoastPdf = endpoint({
  name: 'exportRoastPdf',
  method: 'GET',
  path: '/roasts/{id}/export/pdf',
  summary: 'A report as PDF: facts, chart and marks of the roast',
  right: 'see',
  params: z.object({ id: idShape }),
  query: z.object({ temperature_unit: z.enum(['C', 'F']).default('C') }),
  produces: 'application/pdf',
  errors: ['not_found', 'too_large', 'too_many_requests', 'not_ready'],
});

/** All rows that match, therefore without a page. */
const listQuery = listRoasts.query?.omit({ limit: true, offset: true });

export const exportRoastsCsv = endpoint({
  name: 'exportRoastsCsv',
  method: 'GET',
  path: '/roasts/export/csv',
  summary: 'Every roast that matches the filters, as CSV',
  ...(listQuery && { query: listQuery }),
  produces: 'text/csv',
  errors: ['too_many_requests', 'not_ready'],
});

export const exportRoastsXlsx = endpoint({
  name: 'exportRoastsXlsx',
  method: 'GET',
  path: '/roasts/export/xlsx',
  summary: 'Every roast that matches the filters, as a workbook',
  ...(listQuery && { query: listQuery }),
  produces: spreadsheetType,
  errors: ['too_large', 'too_many_requests', 'not_ready'],
});
