import { addImportFiles } from '@roastery/contract/roast-imports';
import { maxUploadBytes } from '@roastery/contract/imports';
import { ApiError, sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { forgetKeptFiles, replaceKeptFile, type FilesOwner, type KeptFile } from '../../../api/kept-files.ts';
import { logError } from '../../../api/error-log.ts';
import { t } from '../../../language/t.ts';
import { filesOfArchive, isArchive, type NamedFile } from './files-in.ts';

/** Requests at the same time: the next one is on its way while the server stores the files of one. */
const atOnce = 2;
/** Of one request. A larger file has a request of its own. */
const filesOfRequest = 20;
const bytesOfRequest = 64 * 1024;
const retryMs = 2000;
const maxNameLength = 200;

export interface Sending {
  readonly sent: number;
  readonly total: number;
  /** Files that could not be sent, with the reason. */
  readonly failed: readonly string[];
}

export const idle: Sending = { sent: 0, total: 0, failed: [] };
const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && ['unreachable', 'too_many_requests', 'not_ready'].includes(error.code);
const forget = async (files: readonly KeptFile[]): Promise<void> => {
  const keys = files.flatMap(({ key }) => key ?? []);
  await forgetKeptFiles(keys).catch((error: unknown) => logError('Sent files could not be removed', error));
};
/** Takes the files of the next request from those that wait. */
const takeNext = (waiting: KeptFile[]): KeptFile[] => {
  let bytes = 0;
  const end = waiting.findIndex(({ content }, place) => {
    bytes += content.size;
    return place > 0 && (place === filesOfRequest || bytes > bytesOfRequest);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
};
const formOf = (files: readonly NamedFile[]): FormData => {
  const form = new FormData();
  for (const { name, content } of files) form.append('files', content, name.slice(-maxNameLength));
  return form;
};
/** The files of an archive, stored in its place before the first is sent; undefined if it is damaged. */
const openArchive = async (owner: FilesOwner, archive: KeptFile): Promise<KeptFile[] | undefined> => {
  const parts = await filesOfArchive(archive);
  if (parts === undefined || archive.key === undefined) return parts;
  return replaceKeptFile(owner, archive.key, parts).catch((error: unknown) => {
    // The archive stays, and all of it is sent again after a reload: the server recognises files that it has.
    logError('The parts of an archive could not be kept until they are sent', error);
    return parts;
  });
};
const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_signed_in';

interface SendingPage {
  readonly owner: FilesOwner;
  /** The page was left: the rest stays stored, and is sent when it is opened again. */
  readonly isGone: () => boolean;
  readonly show: (sending: Sending) => void;
}

/** Sends until the server takes the files or refuses them. */
const sendTogether = async ({ owner, isGone }: SendingPage, files: readonly NamedFile[]): Promise<void> => {
  for (;;) {
    try {
      await call(addImportFiles, { params: { id: owner.importId }, file: formOf(files) });
      return;
    } catch (error) {
      if (!isTransient(error) || isGone()) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
};

/** Sends the files of a request, and says which of them were refused. @throws when the session or the server is away */
const sendOrRefuse = async (page: SendingPage, files: readonly KeptFile[]): Promise<string[]> => {
  const refused = files.flatMap(({ name, content }) =>
    content.size > maxUploadBytes ? [t`${name} is too large for a roast file.`] : [],
  );
  const small = files.filter(({ content }) => content.size <= maxUploadBytes);
  if (small.length === 0) return refused;
  try {
    await sendTogether(page, small);
  } catch (error) {
    if (isTransient(error) || isSignedOut(error)) throw error;
    const [first, ...others] = small;
    if (others.length === 0) refused.push(`${first?.name}: ${sentenceFor(error, t`The file could not be sent`)}`);
    // One of them was refused, and the others with it.
    else for (const file of small) refused.push(...(await sendOrRefuse(page, [file])));
  }
  return refused;
};

/** The files to send, with those of each archive in its place, and the archives that are damaged. */
const unpack = async ({ owner, isGone }: SendingPage, given: readonly KeptFile[]) => {
  const failed: string[] = [];
  const waiting: KeptFile[] = [];
  for (const file of given) {
    if (isGone()) break;
    const parts = isArchive(file) ? await openArchive(owner, file) : [file];
    if (parts !== undefined) waiting.push(...parts);
    else {
      failed.push(t`${file.name} could not be unpacked. Unpack it yourself and choose its folder.`);
      await forget([file]);
    }
  }
  return { failed, waiting };
};

/** Unpacks and sends files, several requests at a time. */
export const sendFiles = async (page: SendingPage, given: readonly KeptFile[]): Promise<void> => {
  const { isGone, show } = page;
  show(idle);
  const { failed, waiting } = await unpack(page, given);
  if (isGone()) return;
  const total = waiting.length;
  let sent = 0;
  show({ sent, total, failed: [...failed] });
  const work = async (): Promise<void> => {
    for (let files = takeNext(waiting); files.length > 0 && !isGone(); files = takeNext(waiting)) {
      try {
        failed.push(...(await sendOrRefuse(page, files)));
      } catch {
        // The session or the server is away, or the page is closed: they stay stored, and are sent when it is opened again.
        return;
      }
      await forget(files);
      sent += files.length;
      show({ sent, total, failed: [...failed] });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};
