import { addImportFile } from '@roastery/contract/roast-imports';
import { maxUploadBytes } from '@roastery/contract/imports';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import {
  forgetKeptFile,
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

/** Requests at the same time: the next file is on its way while the server stores one. */
const atOnce = 2;
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
const forget = async ({ key }: KeptFile): Promise<void> => {
  if (key === undefined) return;
  await forgetKeptFile(key).catch((error: unknown) => logError('A sent file could not be removed', error));
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
 * Sends files to an import, a few at a time. The server recognises files that it has: all of them can be sent again.
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

  const sendOne = useCallback(async (id: string, file: NamedFile): Promise<void> => {
    for (;;) {
      try {
        const query = { file_name: file.name.slice(-maxNameLength) };
        await call(addImportFile, { params: { id }, query, file: file.content });
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
          await forget(file);
        } else waiting.push(...parts);
      }
      const total = waiting.length;
      let sent = 0;
      setSending({ sent, total, failed: [...failed] });
      const work = async (): Promise<void> => {
        for (let file = waiting.shift(); file !== undefined && !isGone.current; file = waiting.shift()) {
          const { name } = file;
          try {
            if (file.content.size > maxUploadBytes) failed.push(t`${name} is too large for a roast file.`);
            else await sendOne(owner.importId, file);
          } catch (error) {
            // It stays stored, and is sent when the page is opened again.
            if (isTransient(error) || isSignedOut(error)) return;
            failed.push(`${name}: ${sentenceFor(error, t`The file could not be sent`)}`);
          }
          await forget(file);
          sent += 1;
          setSending({ sent, total, failed: [...failed] });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
    [sendOne],
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
