import { addImportFile } from '@roastery/contract/roast-imports';
import { maxUploadBytes } from '@roastery/contract/imports';
import { useEffect, useRef, useState } from 'react';
import { ApiError, sentenceFor } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { logError } from '../../../api/error-log.ts';
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

const idle: Sending = { sent: 0, total: 0, failed: [] };
const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && ['unreachable', 'too_many_requests', 'not_ready'].includes(error.code);

/** Sends files to an import, a few at a time. The server keeps a file that it has: all of them can be sent again. */
export const useSending = (importId: string | undefined, onProgress: () => void) => {
  const [sending, setSending] = useState<Sending>(idle);
  const [busy, setBusy] = useState(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  const sendOne = async (id: string, file: NamedFile): Promise<void> => {
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
  };

  /** @param id of an import that was made just now, when there was none yet */
  const send = async (given: readonly NamedFile[], id = importId): Promise<void> => {
    if (id === undefined) return;
    setBusy(true);
    const failed: string[] = [];
    try {
      const files = await unpacked(given);
      const waiting = [...files];
      let sent = 0;
      setSending({ sent, total: files.length, failed });
      const work = async (): Promise<void> => {
        for (let file = waiting.shift(); file !== undefined && !isGone.current; file = waiting.shift()) {
          try {
            if (file.content.size > maxUploadBytes) failed.push(t`${file.name} is larger than a roast file may be.`);
            else await sendOne(id, file);
          } catch (error) {
            failed.push(`${file.name}: ${sentenceFor(error, t`The file could not be sent`)}`);
          }
          sent += 1;
          setSending({ sent, total: files.length, failed: [...failed] });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    } catch (error) {
      logError('The archive could not be unpacked', error);
      setSending({ ...idle, failed: [t`The archive could not be unpacked. Unpack it and send its folder.`] });
    } finally {
      setBusy(false);
      onProgress();
    }
  };
  return { sending, busy, send };
};
