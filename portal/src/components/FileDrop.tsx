import { FileUp } from 'lucide-react';
import { useRef, useState, type DragEvent, type ReactNode } from 'react';
import { classes } from '../ui/classes.ts';
import { Spinner } from '../ui/Button.tsx';

interface FileDropProps {
  /** Accessible name. */
  label: string;
  /** As in `<input accept>`. Without it the dialog offers every file, also one whose name has no ending. */
  accept?: string;
  busy: boolean;
  onFile: (file: File) => void;
  /** Classes of the button, e.g. its height. */
  className: string;
  children: ReactNode;
}

/** Accepts one file, by click or by drop. */
export const FileDrop = ({ label, accept, busy, onFile, className, children }: FileDropProps) => {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file !== undefined && !busy) onFile(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept={accept}
        aria-label={label}
        className="sr-only"
        tabIndex={-1}
        onChange={(event) => {
          take(event.target.files);
          // The same file may be chosen again after it was corrected.
          event.target.value = '';
        }}
      />
      <button
        type="button"
        // Not `disabled`: that would drop the keyboard focus.
        aria-disabled={busy}
        onClick={() => {
          if (!busy) picker.current?.click();
        }}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={classes(
          'flex flex-col items-center gap-1.5 rounded-lg border border-dashed px-4 text-center transition-colors hover:bg-hover',
          isOver ? 'border-accent bg-accent-soft' : 'border-stroke-control bg-surface',
          className,
        )}
      >
        {busy ? <Spinner className="size-6" /> : <FileUp aria-hidden className="size-6 text-muted" />}
        {children}
      </button>
    </>
  );
};
