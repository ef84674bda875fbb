import { maxUploadBytes } from '@roastery/contract/imports';

export interface NamedFile {
  /** With its folders: `2025/june/Guji.alog`. */
  readonly name: string;
  readonly content: Blob;
}

/** Files that are often beside roasts and never are one. */
const isRubbish = (name: string): boolean => /(?:^|\/)(?:\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/i.test(name);

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const filesOfEntry = async (entry: FileSystemEntry, path: string): Promise<NamedFile[]> => {
  const name = `${path}${entry.name}`;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => {
      entry.file(resolve, reject);
    });
    return [{ name, content: file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: NamedFile[] = [];
  for (;;) {
    // A directory is read in portions of a hundred; an empty one is its end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (entries.length === 0) return found;
    for (const inner of entries) found.push(...(await filesOfEntry(inner, `${name}/`)));
  }
};

/** The files of a drop, including those in dropped folders. */
export const filesOfDrop = async (data: DataTransfer): Promise<NamedFile[]> => {
  // The list is empty once the event is over: its entries are copied first.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: NamedFile[] = [];
  for (const entry of entries) found.push(...(await filesOfEntry(entry, '')));
  return found;
};

/** The files that were chosen in a dialog, for files or for a folder. */
export const filesOfList = (files: FileList | null): NamedFile[] =>
  [...(files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, content: file }));

/** Without the hidden files of operating systems. */
export const wantedOf = (files: readonly NamedFile[]): NamedFile[] => files.filter(({ name }) => !isRubbish(name));

export const isArchive = ({ name }: NamedFile): boolean => /\.zip$/i.test(name);

const isWanted = ({ name, originalSize }: { name: string; originalSize: number }): boolean =>
  !name.endsWith('/') && originalSize <= maxUploadBytes && !isRubbish(name);

/**
 * The files in an archive; undefined if it is damaged. A part that unpacks to more than the limit of a file is left
 * out; the api would refuse it.
 */
export const filesOfArchive = async (archive: NamedFile): Promise<NamedFile[] | undefined> => {
  const { unzip } = await import('fflate');
  const bytes = new Uint8Array(await archive.content.arrayBuffer());
  const parts = await new Promise<Record<string, Uint8Array> | undefined>((resolve) => {
    unzip(bytes, { filter: isWanted }, (error, unpacked) => resolve(error === null ? unpacked : undefined));
  });
  return parts && Object.entries(parts).map(([name, part]) => ({ name, content: new Blob([new Uint8Array(part)]) }));
};
