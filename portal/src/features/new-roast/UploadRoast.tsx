import {
  getRoastUpload,
  maxUploadBytes,
  maxUploadText,
  uploadRoastFile,
  type Upload,
} from '@roastery/contract/imports';
import { createRoastImport, getRoastImport, listImportFiles, listRoastImports } from '@roastery/contract/roast-imports';
import { listTimesToCheck } from '@roastery/contract/roast-times';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { Unread } from '../../components/ErrorState.tsx';
import { attempt } from '../../components/attempt.ts';
import { useAction } from '../../components/use-action.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { paths } from '../../components/paths.ts';
import { useUrlState } from '../../components/url-state.ts';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { FilesDrop } from './many/FilesDrop.tsx';
import { isArchive, type NamedFile } from './many/files-in.ts';
import { ManyFiles } from './many/ManyFiles.tsx';
import { OpenImports } from './many/OpenImports.tsx';
import { useSending } from './many/use-sending.ts';
import { UploadPreview } from './UploadPreview.tsx';

/** Import of files: one with a preview, or many with one table. The ids of both are in the address. */
export const UploadRoast = () => {
  const { read, change } = useUrlState();
  const uploadId = read('upload');
  const importId = read('import');
  const sending = useSending(importId, () => void refresh(getRoastImport, listImportFiles));
  const { run, isBusy, failure, setFailure } = useAction({ beside: true });
  const back = () => change({ upload: undefined });
  if (uploadId !== undefined) return <OneUpload id={uploadId} isOfImport={importId !== undefined} onAnother={back} />;
  if (importId !== undefined) {
    return (
      <ManyFiles id={importId} upload={sending} onLeave={() => change({ import: undefined, problem: undefined })} />
    );
  }
  /** One file opens a preview. */
  const readOne = ({ name, content }: NamedFile) => {
    if (content.size > maxUploadBytes) return setFailure(t`${name} is larger than ${maxUploadText}.`);
    void run(
      async () => {
        const made = await call(uploadRoastFile, { query: { file_name: name.slice(-200) }, file: content });
        change({ upload: made.id });
      },
      (error) => `${name}: ${sentenceFor(error, t`The file could not be read`)}`,
    );
  };
  const sendMany = (files: readonly NamedFile[]) =>
    void attempt(
      async () => {
        const { id } = await call(createRoastImport, { body: {} });
        change({ import: id });
        await Promise.all([sending.send(files, id), refresh(listRoastImports)]);
      },
      t`The import could not be started`,
    );
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4">
      <FilesDrop
        about={
          isBusy
            ? t`Reading the file…`
            : t`One file opens a preview; of several, or years of them, you check one table before they are imported. Artisan, Cropster, RoasTime and ten more programs, CSV or Excel, up to ${maxUploadText} each.`
        }
        busy={isBusy || sending.busy}
        onFiles={(files) => {
          setFailure(null);
          const [file] = files;
          if (files.length === 1 && file !== undefined && !isArchive(file)) readOne(file);
          else sendMany(files);
        }}
      />
      <FormError text={failure} />
      <OpenImports onOpen={(id) => change({ import: id })} />
      <TimesNotice />
    </div>
  );
};

/** Roasts that an earlier version imported without regard to the time zone. */
const TimesNotice = () => {
  const { data } = useApi(listTimesToCheck, { query: { limit: 1 } });
  if (data === undefined || data.total === 0) return null;
  return (
    <Card className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
      <p className="min-w-0 text-sm text-content">
        {data.total === 1
          ? t`The time of 1 imported roast may be off by the time zone.`
          : t`The times of ${formatCount(data.total)} imported roasts may be off by the time zone.`}
      </p>
      <ButtonLink to={paths.timesToCheck}>{t`Check times`}</ButtonLink>
    </Card>
  );
};

interface OneUploadProps {
  id: string;
  isOfImport: boolean;
  onAnother: () => void;
}

/** One file: check, correct, save. */
const OneUpload = ({ id, isOfImport, onAnother }: OneUploadProps) => {
  const {
    data: upload,
    error,
    mutate,
  } = useApi(
    getRoastUpload,
    { params: { id } },
    { revalidateOnFocus: false, revalidateIfStale: false, revalidateOnReconnect: false },
  );
  const show = async (next: Upload | undefined) => {
    await mutate(next, { revalidate: false });
    // Columns that were assigned here are those of other files too: what was read of the import a moment ago is old.
    if (isOfImport) await refresh(getRoastImport, listImportFiles);
  };
  if (upload !== undefined) {
    return <UploadPreview key={upload.id} {...{ upload, isOfImport, onAnother }} onChanged={show} />;
  }
  return (
    <Card>
      <Unread skeleton="m-4 h-72" title={t`The upload has expired`} error={error} onRetry={onAnother} />
    </Card>
  );
};
