import { useCallback, useEffect, useRef, useState } from 'react';
import { keepFiles, keptFilesOf, type FilesOwner, type KeptFile } from '../../../api/kept-files.ts';
import { logError } from '../../../api/error-log.ts';
import { useSession } from '../../../api/session.tsx';
import { t } from '../../../language/t.ts';
import { wantedOf, type NamedFile } from './files-in.ts';
import { idle, sendFiles, type Sending } from './send-files.ts';

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

  const sendAll = useCallback(
    (owner: FilesOwner, files: readonly KeptFile[]) =>
      sendFiles({ owner, isGone: () => isGone.current, show: setSending }, files),
    [],
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
