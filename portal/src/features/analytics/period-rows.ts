import type { ChartColumn } from './charts/ColumnsChart.tsx';

/** A chart's columns as the rows of its table. */
export const periodTable = (columns: readonly ChartColumn[]) => ({
  heads: ['Period', ...(columns[0]?.lines.map(([name]) => name) ?? [])],
  rows: columns.map(({ key, title, link, lines }) => ({
    key,
    name: title,
    link,
    values: lines.map(([, value]) => value),
  })),
});
