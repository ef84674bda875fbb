import { getRoastImport, listImportFiles, type RoastImport } from '@roastery/contract/roast-imports';
import { useCallback } from 'react';
import { refresh, useApi, useInOrder } from '../../../api/use-api.ts';
import { Unread } from '../../../components/ErrorState.tsx';
import { t } from '../../../language/t.ts';
import { Card } from '../../../ui/Card.tsx';
import { FormError } from '../../../components/form/FormError.tsx';
import { DoubtGroups } from './DoubtGroups.tsx';
import { FilesTable } from './FilesTable.tsx';
import { ForAllFiles } from './ForAllFiles.tsx';
import { ImportSteps } from './ImportSteps.tsx';
import { FilesDrop } from './FilesDrop.tsx';
import type { useSending } from './use-sending.ts';

/** How often a running import is read again. */
const everyMs = 1000;
const isAtWork = (one: RoastImport | undefined): boolean =>
  one !== undefined && (one.waiting > 0 || one.state === 'importing' || one.state === 'undoing');

interface ManyFilesProps {
  id: string;
  upload: ReturnType<typeof useSending>;
  onLeave: () => void;
}

/** An import of many files: send, check, correct, import, undo. Its id is in the address, so a reload finds it again. */
export const ManyFiles = ({ id, upload, onLeave }: ManyFilesProps) => {
  const { data, error, mutate } = useApi(
    getRoastImport,
    { params: { id } },
    {
      refreshInterval: (latest) => (upload.busy || isAtWork(latest) ? everyMs : 0),
      // The list is read by itself: what it shows may be older than these counts, which are the last ones.
      onSuccess: (latest) => {
        if (!isAtWork(latest)) void refresh(listImportFiles);
      },
    },
  );
  const { inOrder, isSaving } = useInOrder();
  const readAgain = useCallback(() => mutate(), [mutate]);
  if (data === undefined) {
    return (
      <Card>
        <Unread skeleton="m-4 h-72" title={t`The import was not found`} error={error} onRetry={onLeave} />
      </Card>
    );
  }
  const show = async (next: RoastImport) => void (await mutate(next, { revalidate: false }));
  const isOpen = data.state === 'open';
  return (
    <div className="flex flex-col gap-4">
      <ImportSteps import={data} sending={upload} isSaving={isSaving} onChanged={show} onLeave={onLeave} />
      {upload.sending.failed.slice(0, 5).map((sentence) => (
        <FormError key={sentence} text={sentence} />
      ))}
      {isOpen && <ForAllFiles import={data} inOrder={inOrder} onChanged={show} />}
      {isOpen && <DoubtGroups import={data} inOrder={inOrder} onChanged={show} />}
      <FilesTable import={data} isAtWork={upload.busy || isAtWork(data)} inOrder={inOrder} onChanged={readAgain} />
      {isOpen && (
        <FilesDrop
          about={t`They are added to this import.`}
          busy={upload.busy}
          onFiles={(files) => void upload.send(files)}
        />
      )}
    </div>
  );
};
