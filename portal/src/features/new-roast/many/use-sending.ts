import { addImportFile } from '@roastery/contract/roast-imports';
import { maxUploadBytes } from '@roastery/contract/imports';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { forgetKeptFile, keepFiles, keysOfKeptFiles, readKeptFile } from '../../../api/kept-files.ts';
import { logError } from '../../../api/error-log.ts';
import { useSession } from '../../../api/session.tsx';
import { t } from '../../../language/t.ts';
import { unpacked, type NamedFile } from './files-in.ts';

/** Requests at the same time: the next file is on its way while the server stores one. */
const atOnce = 2;
const retryMs = 2000;
const maxNameLength = 200;

export interface Sending {
  readonly sent: number;
  readonly total: number;
  /** Files that did not get there, with the reason. */
  readonly failed: readonly string[];
}

/** A file on its way, and where the browser keeps it until it is sent. */
interface Waiting {
  readonly read: () => Promise<NamedFile | undefined>;
  readonly key: IDBValidKey | undefined;
}

const idle: Sending = { sent: 0, total: 0, failed: [] };
const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && ['unreachable', 'too_many_requests', 'not_ready'].includes(error.code);
const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.code === 'not_signed_in';

/**
 * Sends files to an import, a few at a time. The server keeps a file that it has: all of them can be sent again. The browser keeps
 * those that are not sent, so that a page that is loaded again goes on with them.
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
    async (id: string, files: readonly Waiting[]): Promise<void> => {
      const failed: string[] = [];
      const waiting = [...files];
      let sent = 0;
      setSending({ sent, total: files.length, failed });
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined && !isGone.current; next = waiting.shift()) {
          let name = t`A file`;
          try {
            const file = await next.read();
            name = file?.name ?? name;
            if (file !== undefined && file.content.size > maxUploadBytes) {
              failed.push(t`${name} is larger than a roast file may be.`);
            } else if (file !== undefined) await sendOne(id, file);
          } catch (error) {
            // It stays, and is sent when the page is opened again.
            if (isTransient(error) || isSignedOut(error)) return;
            failed.push(`${name}: ${sentenceFor(error, t`The file could not be sent`)}`);
          }
          if (next.key !== undefined) {
            await forgetKeptFile(next.key).catch((error: unknown) =>
              logError('A sent file could not be removed', error),
            );
          }
          sent += 1;
          setSending({ sent, total: files.length, failed: [...failed] });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
    [sendOne],
  );

  /** One at a time: the files of a page that is loaded again, or those that were chosen. */
  const during = useCallback(async (work: () => Promise<void>): Promise<void> => {
    isBusy.current = true;
    try {
      await work();
    } finally {
      isBusy.current = false;
      setBusy(false);
      onEnd.current();
    }
  }, []);

  /** @param id of an import that was made just now, when there was none yet */
  const send = async (given: readonly NamedFile[], id = importId): Promise<void> => {
    if (id === undefined || userId === undefined) return;
    setBusy(true);
    await during(async () => {
      let files: readonly NamedFile[];
      try {
        files = await unpacked(given);
      } catch (error) {
        logError('The archive could not be unpacked', error);
        setSending({ ...idle, failed: [t`The archive could not be unpacked. Unpack it and send its folder.`] });
        return;
      }
      const keys = await keepFiles({ userId, importId: id }, files).catch((error: unknown) => {
        logError('The files could not be kept until they are sent', error);
        return undefined;
      });
      setKept(keys !== undefined);
      await sendAll(
        id,
        files.map((file, place) => ({ read: async () => file, key: keys?.[place] })),
      );
    });
  };

  useEffect(() => {
    if (importId === undefined || userId === undefined || isBusy.current) return;
    void during(async () => {
      const keys = await keysOfKeptFiles({ userId, importId }).catch((error: unknown) => {
        logError('The files that are still to be sent could not be read', error);
        return [];
      });
      if (keys.length === 0) return;
      setBusy(true);
      await sendAll(
        importId,
        keys.map((key) => ({ read: () => readKeptFile(key), key })),
      );
    });
  }, [importId, userId, sendAll, during]);
  return { sending, busy, isKept, send };
};
