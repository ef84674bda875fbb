import { errorBodyShape } from '@roastery/contract/errors';
import {
  checkMachineFiles,
  machineFilesCheckShape,
  machineFileShape,
  sendMachineFile,
  type MachineFileOutcome,
} from '@roastery/contract/machine-files';
import { parseJson, storableText } from '@roastery/contract/parse-shape';
import { parseRetryAfter } from '@roastery/runtime/backoff';
import { codeOf } from '@roastery/runtime/system-errors';
import type { AgentConfig } from '../config.ts';
import { httpRequest } from '../http-request.ts';

export type SendingResult =
  | { readonly kind: 'taken'; readonly outcome: MachineFileOutcome; readonly doubts?: readonly string[] | undefined }
  /** The server can't use this content, now or later. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not now. `isOfFile`: the file may be the cause, so the others are sent first. */
  | {
      readonly kind: 'not_now';
      readonly reason: string;
      readonly retryAfterMs?: number | undefined;
      readonly isOfFile: boolean;
    };

/** A slow connection takes a minute for the largest file. */
const timeoutMs = 120_000;
const refusals = new Set([400, 409, 413, 415, 422]);

const detailOf = (text: string): string => {
  const parsed = parseJson(errorBodyShape, text);
  if (!parsed.success) return '';
  const { detail } = parsed.data;
  return typeof detail === 'string' ? detail : detail.map(({ message }) => message).join(' ');
};

/** A file's name as one line, without control characters or half a surrogate pair at the cut. */
const lineOf = (name: string): string => storableText(name.replaceAll(/\p{Cc}/gu, '_').slice(-200)).trim();

const notNow = (reason: string, retryAfter?: string, isOfFile = false): SendingResult => ({
  kind: 'not_now',
  reason,
  retryAfterMs: parseRetryAfter(retryAfter),
  isOfFile,
});

/** This computer's credential. */
const headersOf = ({ machineToken, machineSerial }: AgentConfig) => ({
  authorization: `Bearer ${machineToken}`,
  'x-machine-serial': encodeURIComponent(machineSerial),
});

export const sendFile = async (config: AgentConfig, name: string, content: Uint8Array): Promise<SendingResult> => {
  const headers = headersOf(config);
  const url = `${config.apiUrl}${sendMachineFile.path}?file_name=${encodeURIComponent(lineOf(name))}`;
  try {
    const { status, text, headers: given } = await httpRequest(url, { headers, timeoutMs, file: content });
    if (status === 200) {
      const parsed = parseJson(machineFileShape, text);
      return parsed.success ? { kind: 'taken', ...parsed.data } : notNow('unexpected answer');
    }
    if (refusals.has(status)) return { kind: 'refused', reason: detailOf(text) || `the server refused it (${status})` };
    if (status === 401) return notNow('the server does not accept this computer’s credential');
    if (status === 404) return notNow('the server is older than this agent and does not accept files');
    return notNow(`the server answers ${status}`, given['retry-after'], status === 500);
  } catch (error) {
    const reason = codeOf(error) || (error instanceof Error ? error.message || error.name : String(error));
    return notNow(`the server can’t be reached (${reason})`);
  }
};

const checkTimeoutMs = 20_000;

/**
 * Requests which of these contents the server lacks, and for whom it keeps files; undefined without a usable answer.
 */
export const askMissing = async (config: AgentConfig, sha256: readonly string[]) => {
  const options = { headers: headersOf(config), timeoutMs: checkTimeoutMs, body: { sha256 } };
  try {
    const { status, text } = await httpRequest(`${config.apiUrl}${checkMachineFiles.path}`, options);
    return status === 200 ? parseJson(machineFilesCheckShape, text).data : undefined;
  } catch {
    return undefined;
  }
};
