import { parseJson } from '@roastery/contract/parse-shape';
import { pageAsSet } from './config.ts';
import { agentOn, runningForMs } from './data-dir-lock.ts';
import { httpRequest } from './http-request.ts';
import { readKeptSettings } from './settings-trial.ts';
import { boardStatusShape, type BoardStatus } from './status-page/board-status.ts';

export type RunningAgent =
  | { readonly kind: 'none' }
  /** It runs, and its page answers. */
  | { readonly kind: 'seen'; readonly status: BoardStatus }
  /** It runs, but its page is off, was not opened yet, or does not answer. */
  | { readonly kind: 'unseen'; readonly pid: number; readonly page: 'off' | 'starting' | 'silent' }
  /** Its page does not answer, and this user may not see whether it runs. */
  | { readonly kind: 'unknown' };

export interface AgentPlace {
  readonly dataDir: string;
  readonly statusHost: string;
  readonly statusPort: number | undefined;
}

const timeoutMs = 3000;
/** A page that is not available this long after the start of its agent stays unavailable. */
const startsWithinMs = 20_000;

/** Where the board itself finds its page. */
export const statusUrl = ({ statusHost, statusPort }: Omit<AgentPlace, 'dataDir'>): string => {
  const host = statusHost === '0.0.0.0' || statusHost === '::' ? '127.0.0.1' : statusHost;
  return `http://${host.includes(':') ? `[${host}]` : host}:${statusPort}/status.json`;
};

const askPage = async (place: AgentPlace): Promise<BoardStatus | undefined> => {
  if (place.statusPort === undefined) return undefined;
  try {
    const { status, text } = await httpRequest(statusUrl(place), { headers: {}, timeoutMs });
    return status === 200 ? parseJson(boardStatusShape, text).data : undefined;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
};

const holderOf = async (dataDir: string): Promise<number | 'unknown' | undefined> => {
  try {
    return await agentOn(dataDir);
  } catch (error) {
    // The folder belongs to the agent; an ordinary user has to rely on the page.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return 'unknown';
    throw error;
  }
};

/** Whether an agent uses this data folder, and its status. */
export const findRunningAgent = async (configured: AgentPlace): Promise<RunningAgent> => {
  const place = pageAsSet(configured, (await readKeptSettings(configured.dataDir)).now.status_page);
  const pid = await holderOf(place.dataDir);
  if (pid === undefined) return { kind: 'none' };
  const status = await askPage(place);
  if (status !== undefined && (pid === 'unknown' || status.pid === pid)) return { kind: 'seen', status };
  if (pid === 'unknown') return { kind: 'unknown' };
  if (place.statusPort === undefined) return { kind: 'unseen', pid, page: 'off' };
  const isNew = ((await runningForMs(pid)) ?? Number.POSITIVE_INFINITY) < startsWithinMs;
  return { kind: 'unseen', pid, page: isNew ? 'starting' : 'silent' };
};
