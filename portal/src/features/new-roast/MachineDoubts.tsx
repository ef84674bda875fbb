import { getRoastUpload, type Upload } from '@roastery/contract/imports';
import { TriangleAlert } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';

interface MachineDoubtsProps {
  upload: Upload;
  /** As chosen in the form; null without one. */
  machineId: string | null;
}

/** What is unlikely about the roast, judged by the roasts of the chosen machine. */
export const MachineDoubts = ({ upload, machineId }: MachineDoubtsProps) => {
  const isOther = machineId !== null && machineId !== upload.machine_id;
  const { data } = useApi(
    getRoastUpload,
    isOther ? { params: { id: upload.id }, query: { machine_id: machineId } } : null,
    { revalidateOnFocus: false, revalidateIfStale: false, revalidateOnReconnect: false },
  );
  const doubts = (isOther ? data : undefined)?.doubts ?? upload.doubts;
  if (doubts.length === 0) return null;
  return (
    <ul
      aria-label={t`Unlikely in this roast`}
      className="flex flex-col gap-1 rounded-lg border border-warning/40 bg-warning-soft px-4 py-3"
    >
      {doubts.map((sentence) => (
        <li key={sentence} className="flex items-start gap-2 text-sm text-strong">
          <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warning" />
          {sentence}
        </li>
      ))}
    </ul>
  );
};
