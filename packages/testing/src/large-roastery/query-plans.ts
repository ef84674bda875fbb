import { z } from 'zod';

/**
 * Settings under which Postgres reports to every session how it ran each statement, as a notice. They need no
 * superuser, and the api's debug log holds it between the lines of its requests.
 */
export const planNotices = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** A table that was read from one end to the other. */
export interface TableScan {
  readonly table: string;
  /** Rows that were read and discarded, over all loops: an index would have skipped them. */
  readonly rowsWasted: number;
  readonly rowsKept: number;
}
/** A table that was read in any way. */
export interface TableRead {
  readonly table: string;
  /** Rows that were read, the discarded ones among them, over all loops. */
  readonly rows: number;
}
export interface ToldPlan {
  readonly statement: string;
  readonly scans: readonly TableScan[];
  readonly reads: readonly TableRead[];
}

interface Node {
  readonly type: string;
  readonly table: string | undefined;
  readonly rowsWasted: number;
  readonly rowsRead: number;
  readonly children: readonly Node[];
}
const nodeShape: z.ZodType<Node> = z
  .object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Actual Loops': z.number().default(1),
    'Actual Rows': z.number().default(0),
    'Rows Removed by Filter': z.number().default(0),
    get Plans() {
      return z.array(nodeShape).default([]);
    },
  })
  .transform((node) => ({
    type: node['Node Type'],
    table: node['Relation Name'],
    rowsWasted: node['Rows Removed by Filter'] * node['Actual Loops'],
    rowsRead: (node['Actual Rows'] + node['Rows Removed by Filter']) * node['Actual Loops'],
    children: node.Plans,
  }));
const toldShape = z.object({ 'Query Text': z.string(), Plan: nodeShape });

const scansIn = (node: Node): TableScan[] => [
  ...(node.type === 'Seq Scan' && node.table !== undefined
    ? [{ table: node.table, rowsWasted: node.rowsWasted, rowsKept: node.rowsRead - node.rowsWasted }]
    : []),
  ...node.children.flatMap(scansIn),
];

const readsIn = (node: Node): TableRead[] => [
  ...(node.table === undefined ? [] : [{ table: node.table, rows: node.rowsRead }]),
  ...node.children.flatMap(readsIn),
];

const lineShape = z.object({ msg: z.string(), notice: z.string().optional(), requestId: z.string().optional() });

/** The plan in a line of the api's log; undefined for any other line. */
export const planInLine = (line: string): ToldPlan | undefined => {
  if (!line.includes('"postgres notice"')) return undefined;
  const { notice } = lineShape.parse(JSON.parse(line));
  const at = notice?.indexOf('plan:\n') ?? -1;
  if (notice === undefined || at < 0) return undefined;
  const told = toldShape.parse(JSON.parse(notice.slice(at + 'plan:\n'.length)));
  return { statement: told['Query Text'], scans: scansIn(told.Plan), reads: readsIn(told.Plan) };
};

/** Whether a line of the api's log reports an answered request. */
export const isRequestLine = (line: string): boolean => line.includes('"msg":"request"');
