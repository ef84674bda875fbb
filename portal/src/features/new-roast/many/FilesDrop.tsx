import { FolderUp } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { t } from '../../../language/t.ts';
import { Button } from '../../../ui/Button.tsx';
import { classes } from '../../../ui/classes.ts';
import { filesOfDrop, filesOfList, type NamedFile } from './files-in.ts';

interface FilesDropProps {
  /** What becomes of the files. */
  about: string;
  busy: boolean;
  onFiles: (files: readonly NamedFile[]) => void;
}

/** Accepts files, folders and archives, by drop or by dialog. A file is recognised by its content: programs also write files without an ending. */
export const FilesDrop = ({ about, busy, onFiles }: FilesDropProps) => {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (list: FileList | null) => {
    const found = filesOfList(list);
    if (found.length > 0) onFiles(found);
  };
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!busy) onFiles(await filesOfDrop(event.dataTransfer));
  };
  const picker = { type: 'file', multiple: true, className: 'sr-only', tabIndex: -1 } as const;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons in it do the same by keyboard
    <section
      aria-label={t`Roast files`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => void drop(event)}
      className={classes(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-10 text-center transition-colors',
        isOver ? 'border-accent bg-accent-soft' : 'border-stroke-control bg-surface',
      )}
    >
      <FolderUp aria-hidden className="size-6 text-muted" />
      <p className="text-lg font-medium text-strong">{t`Drop roast files, folders or a ZIP archive here`}</p>
      <p className="max-w-lg text-sm text-muted">{about}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button busy={busy} onClick={() => files.current?.click()}>{t`Choose files`}</Button>
        <Button busy={busy} onClick={() => folder.current?.click()}>{t`Choose a folder`}</Button>
      </div>
      <input
        {...picker}
        ref={files}
        aria-label={t`Files to import`}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = '';
        }}
      />
      <input
        {...picker}
        ref={(input) => {
          folder.current = input;
          // React has no property for this.
          input?.setAttribute('webkitdirectory', '');
        }}
        aria-label={t`Folder to import`}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = '';
        }}
      />
    </section>
  );
};
