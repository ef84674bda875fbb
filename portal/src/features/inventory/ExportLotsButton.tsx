import { exportLots, type listLots } from '@roastery/contract/inventory';
import type { QueryOf } from '@roastery/contract/endpoint';
import { Download } from 'lucide-react';
import { addressOf } from '../../api/call.ts';
import { formatCount } from '../../format/numbers.ts';
import { buttonClass } from '../../ui/Button.tsx';

interface ExportLotsButtonProps {
  /** The filters of the list: every lot that matches is exported, on whatever page it is. */
  query: Omit<NonNullable<QueryOf<typeof listLots>>, 'limit' | 'offset'>;
  total: number | undefined;
}

/** Downloads the lots that the filters show as CSV. */
export const ExportLotsButton = ({ query, total }: ExportLotsButtonProps) => (
  <a
    href={addressOf(exportLots, undefined, query)}
    download
    className={buttonClass()}
    title={total === undefined ? 'Export as CSV' : `Export ${formatCount(total)} lots as CSV`}
  >
    <Download aria-hidden />
    Export
  </a>
);
