import { largestUpload, largestUploadText, uploadRoastFile, type Upload } from '@roastery/contract/imports';
import { FileUp } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FormError } from '../../components/forms.tsx';
import { classes } from '../../ui/classes.ts';
import { Spinner } from '../../ui/Spinner.tsx';

/** Takes one file by click or drop and has the server read it. */
export const FilePicker = ({ onUploaded }: { onUploaded: (upload: Upload) => void }) => {
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [isOver, setOver] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const choose = async (file: File | undefined) => {
    if (file === undefined || busy) return;
    setFailure(null);
    if (file.size > largestUpload) {
      setFailure(`${file.name} is larger than ${largestUploadText}.`);
      return;
    }
    setBusy(true);
    try {
      onUploaded(await call(uploadRoastFile, { query: { file_name: file.name.slice(-200) }, file }));
    } catch (error) {
      setFailure(`${file.name}: ${sentenceFor(error, 'The file could not be read')}`);
    } finally {
      setBusy(false);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void choose(event.dataTransfer.files[0]);
  };
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4">
      <input
        ref={picker}
        type="file"
        accept=".alog,.csv,.tsv,.txt,.xlsx"
        aria-label="File of a roast"
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          void choose(event.target.files?.[0]);
          // The same file may be chosen again after it was mended.
          event.target.value = '';
        }}
      />
      <button
        type="button"
        disabled={busy}
        onClick={() => picker.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={classes(
          'flex flex-col items-center gap-1.5 rounded-lg border border-dashed px-4 py-16 text-center transition-colors hover:bg-hover',
          isOver ? 'border-accent bg-accent-soft' : 'border-stroke-control bg-surface',
        )}
      >
        {busy ? <Spinner className="size-6" /> : <FileUp aria-hidden className="size-6 text-muted" />}
        <span className="text-lg font-medium text-strong">
          {busy ? 'Reading the file…' : 'Choose the file of a roast or drop it here'}
        </span>
        <span className="max-w-md text-sm text-muted">
          Artisan .alog, CSV or XLSX, up to {largestUploadText}. You see what is in it before anything is saved.
        </span>
      </button>
      <FormError text={failure} />
    </div>
  );
};
