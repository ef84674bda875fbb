import { maxUploadBytes, maxUploadText, uploadRoastFile, type Upload } from '@roastery/contract/imports';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FileDrop } from '../../components/FileDrop.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { t } from '../../language/t.ts';

/** Uploads one file by click or drop; the server reads it. */
export const FilePicker = ({ onUploaded }: { onUploaded: (upload: Upload) => void }) => {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const choose = async (file: File) => {
    setFailure(null);
    if (file.size > maxUploadBytes) {
      setFailure(t`${file.name} is larger than ${maxUploadText}.`);
      return;
    }
    setBusy(true);
    try {
      onUploaded(await call(uploadRoastFile, { query: { file_name: file.name.slice(-200) }, file }));
    } catch (error) {
      setFailure(`${file.name}: ${sentenceFor(error, t`The file could not be read`)}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-4">
      <FileDrop label={t`Roast file`} busy={busy} onFile={(file) => void choose(file)} className="py-16">
        <span className="text-lg font-medium text-strong">
          {busy ? t`Reading the file…` : t`Choose a roast file or drop it here`}
        </span>
        <span className="max-w-md text-sm text-muted">
          {t`Artisan, Cropster, RoasTime and ten more programs, CSV or Excel, up to ${maxUploadText}. You can check its contents before it is saved.`}
        </span>
      </FileDrop>
      <FormError text={failure} />
    </div>
  );
};
