import { getRoastUpload, type Upload } from '@roastery/contract/imports';
import { useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { FilePicker } from './FilePicker.tsx';
import { UploadPreview } from './UploadPreview.tsx';

/** Import of a roast file: upload, check, correct, save. The upload's id is in the address. */
export const UploadRoast = () => {
  const { read, change } = useUrlState();
  const id = read('upload');
  const {
    data: upload,
    error,
    mutate,
  } = useApi(getRoastUpload, id === undefined ? null : { params: { id } }, {
    revalidateOnFocus: false,
    revalidateIfStale: false,
    revalidateOnReconnect: false,
  });
  const show = (next: Upload | undefined) => void mutate(next, { revalidate: false });
  if (id === undefined) return <FilePicker onUploaded={(made) => change({ upload: made.id })} />;
  if (upload !== undefined) {
    return (
      <UploadPreview key={upload.id} upload={upload} onChanged={show} onAnother={() => change({ upload: undefined })} />
    );
  }
  return (
    <Card>
      {error === undefined ? (
        <Skeleton className="m-4 h-72" />
      ) : (
        <ErrorState title={t`The upload has expired`} error={error} onRetry={() => change({ upload: undefined })} />
      )}
    </Card>
  );
};
