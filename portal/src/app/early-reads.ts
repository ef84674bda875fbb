import { systemStats } from '@roastery/contract/dashboard';
import { listMachines } from '@roastery/contract/machines';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { readEarly } from '../api/answers.ts';

/**
 * Starts the reads of a page while its code is loading: on a slow network they would follow one after the other. The
 * inputs are exactly the page's own; `e2e/first-page.e2e.ts` finds an address that is read twice.
 */
export type EarlyReads = (args: LoaderFunctionArgs) => null;

/** For every page: the machines that roast now. */
const readFrame = (): void => readEarly(listMachines, { query: { sort: 'name' } });

export const readDashboard: EarlyReads = () => {
  readEarly(systemStats, {});
  readEarly(listRoasts, { query: { limit: 10 } });
  readFrame();
  return null;
};

export const readRoast: EarlyReads = ({ params: { id = '' } }) => {
  readEarly(getRoast, { params: { id } });
  readEarly(getRoastCurveColumns, { params: { id } });
  readFrame();
  return null;
};
