import { addImportFiles } from '@roastery/contract/roast-imports';
import { maxUploadBytes } from '@roastery/contract/imports';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import {
  forgetKeptFiles,
  keepFiles,
  keptFilesOf,
  replaceKeptFile,
  type FilesOwner,
  type KeptFile,
} from '../../../api/kept-files.ts';
import { logError } from '../../../api/error-log.ts';
import { useSession } from '../../../api/session.tsx';
import { t } from '../../../language/t.ts';
import { filesOfArchive, isArchive, wantedOf, type NamedFile } from './files-in.ts';

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

const idle: Sending = { sent: 0, total: 0, failed: [] };
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

/**
 * Sends files to an import, small ones together. The server recognises files that it has: all of them can be sent again.
 * The browser stores unsent files, and archives that are not unpacked, so that a reloaded page continues with them.
 */
export const useSending = (importId: string | undefined, onProgress: () => void) => {
  const { user } = useSession();
  const userId = user?.id;
  const [sending, setSending] = useState<Sending>(idle);
  const [busy, setBusy] = useState(false);
  const [isKept, setKept] = useState(true);
  const isBusy = useRef(false);
  const isGone = useRef(false);
  const onEnd = useRef(onProgress);
  useEffect(() => {
    onEnd.current = onProgress;
  });
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  const sendTogether = useCallback(async (id: string, files: readonly NamedFile[]): Promise<void> => {
    for (;;) {
      try {
        await call(addImportFiles, { params: { id }, file: formOf(files) });
        return;
      } catch (error) {
        if (!isTransient(error) || isGone.current) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }, []);

  const sendAll = useCallback(
    async (owner: FilesOwner, given: readonly KeptFile[]): Promise<void> => {
      const failed: string[] = [];
      const waiting: KeptFile[] = [];
      setSending(idle);
      for (const file of given) {
        if (isGone.current) return;
        if (!isArchive(file)) {
          waiting.push(file);
          continue;
        }
        const { name } = file;
        const parts = await openArchive(owner, file);
        if (parts === undefined) {
          failed.push(t`${name} could not be unpacked. Unpack it yourself and choose its folder.`);
          await forget([file]);
        } else waiting.push(...parts);
      }
      const total = waiting.length;
      let sent = 0;
      setSending({ sent, total, failed: [...failed] });
      const sendOrRefuse = async (files: readonly KeptFile[]): Promise<void> => {
        const small = files.filter(({ content }) => content.size <= maxUploadBytes);
        for (const { name, content } of files)
          if (content.size > maxUploadBytes) failed.push(t`${name} is too large for a roast file.`);
        if (small.length === 0) return;
        try {
          await sendTogether(owner.importId, small);
        } catch (error) {
          if (isTransient(error) || isSignedOut(error)) throw error;
          const [first, ...others] = small;
          if (others.length === 0) failed.push(`${first?.name}: ${sentenceFor(error, t`The file could not be sent`)}`);
          // One of them was refused, and the others with it.
          else for (const file of small) await sendOrRefuse([file]);
        }
      };
      const work = async (): Promise<void> => {
        for (let files = takeNext(waiting); files.length > 0 && !isGone.current; files = takeNext(waiting)) {
          try {
            await sendOrRefuse(files);
          } catch {
            // The session or the server is away, or the page is closed: they stay stored, and are sent when it is opened again.
            return;
          }
          await forget(files);
          sent += files.length;
          setSending({ sent, total, failed: [...failed] });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
    [sendTogether],
  );

  /** One at a time: the files of a reloaded page, or the chosen ones. */
  const during = useCallback(async (work: () => Promise<void>): Promise<void> => {
    isBusy.current = true;
    try {
      await work();
    } catch (error) {
      // The code that unpacks did not load, or the browser did not return the files: they stay stored.
      logError('The files could not be prepared', error);
      setSending({ ...idle, failed: [t`The files could not be prepared. Reload this page to continue.`] });
    } finally {
      isBusy.current = false;
      setBusy(false);
      onEnd.current();
    }
  }, []);

  /** @param id of an import that was created just now, when there was none yet */
  const send = async (given: readonly NamedFile[], id = importId): Promise<void> => {
    if (id === undefined || userId === undefined) return;
    setBusy(true);
    await during(async () => {
      const owner = { userId, importId: id };
      const files = wantedOf(given);
      const kept = await keepFiles(owner, files).catch((error: unknown) => {
        logError('The files could not be kept until they are sent', error);
        return undefined;
      });
      setKept(kept !== undefined);
      await sendAll(owner, kept ?? files);
    });
  };

  useEffect(() => {
    if (importId === undefined || userId === undefined || isBusy.current) return;
    void during(async () => {
      const owner = { userId, importId };
      const kept = await keptFilesOf(owner).catch((error: unknown) => {
        logError('The files that are still to be sent could not be read', error);
        return [];
      });
      if (kept.length === 0) return;
      setBusy(true);
      await sendAll(owner, kept);
    });
  }, [importId, userId, sendAll, during]);
  return { sending, busy, isKept, send };
};
