import { importLots } from '@roastery/contract/inventory';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { useState } from 'react';
import { sentenceFor, ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FileDrop } from '../../components/FileDrop.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { UnsavedChanges } from '../../components/form/UnsavedChanges.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/toast.ts';
import { ImportPreview } from './ImportPreview.tsx';
import { refreshLots } from './lots.ts';

type Preview = ResponseOf<typeof importLots>;

/** The api accepts requests of 1 MB; as JSON a file is a little longer. */
const maxBytes = 900_000;

/** UTF-8, or the encoding that Excel on Windows writes. */
const readText = async (file: File): Promise<string> => {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return new TextDecoder('windows-1252').decode(bytes);
    throw error;
  }
};

const failureOf = (error: unknown): string =>
  error instanceof ApiError && error.fields.length > 0
    ? error.fields.map(({ message }) => message).join('\n')
    : sentenceFor(error, t`The file could not be read`);

/** Imports lots from a CSV file: first a preview with the errors of each row, then all rows or none. */
export const ImportLotsDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Dialog
    open={open}
    onClose={onClose}
    title={t`Import lots`}
    description={t`A CSV file with one row per lot. Check every row before anything is saved.`}
    width="lg"
  >
    {open && <ImportSteps onClose={onClose} />}
  </Dialog>
);

const ImportSteps = ({ onClose }: { onClose: () => void }) => {
  const [file, setFile] = useState<{ name: string; csv: string } | null>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  const choose = async (chosen: File) => {
    setFailure(null);
    setPreview(null);
    setFile(null);
    if (chosen.size > maxBytes) {
      setFailure(t`${chosen.name} is larger than 0.9 MB. Divide it into several files.`);
      return;
    }
    setBusy(true);
    try {
      const csv = await readText(chosen);
      setPreview(await call(importLots, { body: { csv, dry_run: true } }));
      setFile({ name: chosen.name, csv });
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  };

  const save = async () => {
    if (file === null) return;
    setBusy(true);
    setFailure(null);
    try {
      const { imported } = await call(importLots, { body: { csv: file.csv, dry_run: false } });
      await refreshLots();
      toast(imported === 1 ? t`1 lot imported` : t`${imported} lots imported`);
      onClose();
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  };

  const ready = preview !== null && preview.faulty === 0 ? preview.rows.length : 0;
  return (
    <>
      <UnsavedChanges dirty={preview !== null} />
      <DialogBody>
        <FileDrop
          label={t`CSV file`}
          accept=".csv,.tsv,.txt,text/csv"
          busy={busy}
          onFile={(chosen) => void choose(chosen)}
          className={preview === null ? 'py-10' : 'py-4'}
        >
          <span className="text-base font-medium text-strong">
            {file === null ? t`Choose a CSV file or drop it here` : t`${file.name}: choose another file`}
          </span>
          {preview === null && (
            <span className="text-sm text-muted">
              {t`Required columns: lot_number, coffee_name, origin, initial_weight. Any other field of a lot is optional; an export has all of them.`}
            </span>
          )}
        </FileDrop>
        {preview !== null && <ImportPreview preview={preview} />}
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button kind="primary" busy={busy && preview !== null} disabled={ready === 0} onClick={() => void save()}>
          {ready === 0 ? t`Import lots` : ready === 1 ? t`Import ${ready} lot` : t`Import ${ready} lots`}
        </Button>
      </DialogFooter>
    </>
  );
};
