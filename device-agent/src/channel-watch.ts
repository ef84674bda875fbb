import { join } from 'node:path';
import type { DeviceStatus, JournalEvent } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import type { MachineMap } from '@roastery/contract/machine-map';
import { channelsLookExchanged, exchangedInRow, roastsToAgree } from '@roastery/roasting/curves/exchanged-channels';
import type { Reading } from '@roastery/roasting/curves/series';
import type { Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { serial } from '@roastery/runtime/turns';
import { readFileIfThere, writeFileAtomically } from './atomic-file.ts';

export const channelFile = (dataDir: string): string => join(dataDir, 'channels.json');

/** How many roasts in a row look exchanged with the map of this machine. */
const stateShape = z.object({ v: z.literal(1), read_by: z.string(), roasts: z.number().int().min(0) });
type State = z.infer<typeof stateShape>;

/** A curve of a roast needs no more: the verdict uses a median over six seconds. */
const keepEveryMs = 1900;
/** An hour. A longer roast is not judged. */
const maxReadings = 1800;

/** The registers behind both channels. Another map, revision or register begins the count again. */
export const registersOf = (map: MachineMap | undefined): string =>
  map === undefined ? '' : JSON.stringify([map.id, map.rev, map.channels['bean_temp'], map.channels['exhaust_temp']]);

export interface ChannelWatchParts {
  readonly dataDir: string;
  readonly log: Logger;
  readonly map: MachineMap | undefined;
  /** There is another result for the status. */
  readonly changed: () => void;
}

/**
 * Judges after each completed roast whether bean and exhaust temperature look exchanged in the map. The count is kept on disk;
 * a roast that a restart interrupted is not judged.
 */
export const openChannelWatch = async ({ dataDir, log, map: firstMap, changed }: ChannelWatchParts) => {
  let map = firstMap;
  let state = await readState(dataDir, log);
  let onDisk = JSON.stringify(state);
  if (state.read_by !== registersOf(map)) state = { v: 1, read_by: registersOf(map), roasts: 0 };
  let times: number[] = [];
  let beans: Reading[] = [];
  let exhaust: Reading[] = [];
  const marked = new Map<string, number>();
  const inTurn = serial();

  const write = async (): Promise<void> => {
    const text = JSON.stringify(state);
    if (text === onDisk) return;
    await writeFileAtomically(channelFile(dataDir), `${text}\n`);
    onDisk = text;
  };
  const change = (next: State): void => {
    const before = status();
    state = next;
    inTurn(write).catch((error: unknown) => log.error({ err: error }, 'channels: write failed'));
    if (JSON.stringify(status()) !== JSON.stringify(before)) changed();
  };
  const status = (): { roasts: number; map: { id: string; rev: number } } | null =>
    map === undefined || state.roasts < roastsToAgree
      ? null
      : { roasts: state.roasts, map: { id: map.id, rev: map.rev } };

  const judge = (): void => {
    const [charge, drop] = [marked.get('charge'), marked.get('drop')];
    if (charge === undefined || drop === undefined) return;
    const { verdict, evidence } = channelsLookExchanged({
      timesSeconds: times,
      beanTempC: beans,
      exhaustTempC: exhaust,
      chargeSeconds: charge / 1000,
      dropSeconds: drop / 1000,
    });
    const roasts = exchangedInRow(state.roasts, { verdict });
    if (verdict === 'exchanged') log.warn({ roasts, evidence }, 'channels: bean and exhaust look exchanged');
    change({ ...state, roasts });
  };

  return {
    setMap(next: MachineMap): void {
      map = next;
      if (state.read_by === registersOf(next)) return;
      [times, beans, exhaust] = [[], [], []];
      change({ v: 1, read_by: registersOf(next), roasts: 0 });
    },
    sample(mono: number, beanTempC: Reading, exhaustTempC: Reading): void {
      const last = times.at(-1);
      if (last !== undefined && mono - last * 1000 < keepEveryMs) return;
      times.push(mono / 1000);
      beans.push(beanTempC);
      exhaust.push(exhaustTempC);
      // In steps, so that the lists are not moved for every reading.
      if (times.length > maxReadings * 1.25)
        [times, beans, exhaust] = [times.slice(-maxReadings), beans.slice(-maxReadings), exhaust.slice(-maxReadings)];
    },
    follow(event: JournalEvent): void {
      if (event.type === 'mark') {
        if (event.at_mono === null) marked.delete(event.kind);
        else marked.set(event.kind, event.at_mono);
      } else if (event.type === 'roast') {
        if (event.state === 'completed') judge();
        marked.clear();
      }
    },
    /** Null while nothing is said; undefined without a map, so that nothing can be judged. */
    status: (): DeviceStatus['channels_exchanged'] => (map === undefined ? undefined : status()),
    settled: inTurn.settled,
  };
};
export type ChannelWatch = Awaited<ReturnType<typeof openChannelWatch>>;

/** For the doctor: how many roasts in a row look exchanged with this map; null while too few agree. */
export const readKeptExchange = async (dataDir: string, map: MachineMap): Promise<number | null | 'unreadable'> => {
  try {
    const text = await readFileIfThere(channelFile(dataDir));
    const kept = text === undefined ? undefined : parseJson(stateShape, text).data;
    return kept !== undefined && kept.read_by === registersOf(map) && kept.roasts >= roastsToAgree ? kept.roasts : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return 'unreadable';
    throw error;
  }
};

const readState = async (dataDir: string, log: Logger): Promise<State> => {
  const empty: State = { v: 1, read_by: '', roasts: 0 };
  try {
    const text = await readFileIfThere(channelFile(dataDir));
    if (text === undefined) return empty;
    const parsed = parseJson(stateShape, text);
    if (parsed.success) return parsed.data;
    log.warn({ reason: describeRefusal(parsed) }, 'channels: stored file ignored');
  } catch (error) {
    log.warn({ reason: String(error) }, 'channels: stored file ignored');
  }
  return empty;
};
