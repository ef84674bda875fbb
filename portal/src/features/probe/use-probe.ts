import type { RegisterSeries } from '@roastery/contract/decodings';
import type { Link } from '@roastery/contract/machine-map';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import {
  findProbeLine,
  probeMessageShape,
  startProbe,
  stopProbe,
  watchProbe,
  type ProbeMessage,
  type ProbeWish,
} from '@roastery/contract/probe';
import { createProbeSeries } from '@roastery/contract/probe-series';
import { useEffect, useRef, useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { addressOf, call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { t } from '../../language/t.ts';

export interface Probe {
  /** idle: not started. finding: speeds and units are tried. looking: registers are read. watching: they are read every second. */
  readonly phase: 'idle' | 'finding' | 'looking' | 'watching' | 'ended';
  readonly progress: Extract<ProbeMessage, { k: 'progress' | 'trying' }> | null;
  /** The line that was found by a search. */
  readonly line: { readonly link: Link; readonly units: readonly number[] } | null;
  /** Why it ended or did not start; null for a search that found the line. */
  readonly says: string | null;
  readonly places: readonly RegisterSeries[];
}

/** The address of the machine, for a board without a machine map. */
export interface SentLink {
  readonly link?: Link;
}

const nothing: Probe = { phase: 'idle', progress: null, line: null, says: null, places: [] };
/** Without a message for this long the board counts as offline. */
const silenceMs = 20_000;

/** Reads the registers of a machine while the page is open. The values are not stored. */
export const useProbe = (machineId: string) => {
  const [probe, setProbe] = useState(nothing);
  const [listening, setListening] = useState(false);
  const [series] = useState(createProbeSeries);
  const current = useRef<string | null>(null);
  /** Messages that arrived before the answer with the id of this probe. */
  const early = useRef<ProbeMessage[]>([]);
  const silence = useRef<ReturnType<typeof setTimeout>>(undefined);

  const end = (says: string | null): void => {
    clearTimeout(silence.current);
    current.current = null;
    setProbe((before) => ({ ...before, phase: 'ended', says }));
  };
  const waitForBoard = (): void => {
    clearTimeout(silence.current);
    silence.current = setTimeout(
      () =>
        end(
          t`The board has not answered for 20 s. Check that it is online. Older agents can’t read registers for the portal.`,
        ),
      silenceMs,
    );
  };
  const take = (message: ProbeMessage): void => {
    waitForBoard();
    if (message.k === 'ended') return end(message.reason === 'found' ? null : message.says);
    if (message.k === 'progress' || message.k === 'trying')
      return setProbe((before) => ({ ...before, progress: message }));
    if (message.k === 'line')
      return setProbe((before) => ({ ...before, line: { link: message.link, units: message.units } }));
    // The first answers are shown at once and count as the first reading.
    series.take(message.blocks, message.seconds);
    setProbe((before) => ({
      ...before,
      phase: message.round > 0 ? 'watching' : before.phase,
      places: series.places(),
    }));
  };

  useEffect(() => {
    const source = new EventSource(addressOf(watchProbe, { id: machineId }, undefined));
    source.addEventListener('listening', () => setListening(true));
    source.addEventListener('error', () => setListening(false));
    source.addEventListener('probe', (event: MessageEvent<string>) => {
      const parsed = parseJson(probeMessageShape, event.data);
      if (!parsed.success) return logError('Probe message of an unknown shape', describeRefusal(parsed));
      if (parsed.data.id === current.current) take(parsed.data);
      else if (early.current.length < 50) early.current.push(parsed.data);
    });
    // The board runs one probe at a time: one that goes on unseen refuses the next until its limit of minutes.
    const leave = (): void => {
      if (current.current === null) return;
      call(stopProbe, { params: { id: machineId, probe_id: current.current }, outlivesPage: true }).catch(
        (error: unknown) => logError('Failed to stop the probe', error),
      );
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      source.close();
      clearTimeout(silence.current);
      leave();
    };
    // The handlers use only refs and setters, which are stable.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [machineId]);

  const begin = async (phase: 'looking' | 'finding', ask: () => Promise<{ probe_id: string }>): Promise<void> => {
    series.clear();
    early.current = [];
    // The found line is kept while its registers are read.
    setProbe(({ line }) => ({ ...nothing, phase, line: phase === 'finding' ? null : line }));
    try {
      const { probe_id: id } = await ask();
      current.current = id;
      waitForBoard();
      for (const message of early.current.filter((one) => one.id === id)) take(message);
    } catch (error) {
      end(sentenceFor(error, t`The board could not be reached`));
    }
  };

  return {
    probe,
    listening,
    start: (wish: ProbeWish, line: SentLink) =>
      begin('looking', () => call(startProbe, { params: { id: machineId }, body: { ...wish, ...line } })),
    /** Searches for speed, parity and units of the line; `unit` is tried first. */
    find: (unit: number, line: SentLink) =>
      begin('finding', () => call(findProbeLine, { params: { id: machineId }, body: { unit, ...line } })),
    stop: async (): Promise<void> => {
      const id = current.current;
      if (id === null) return;
      try {
        await call(stopProbe, { params: { id: machineId, probe_id: id } });
      } catch (error) {
        end(sentenceFor(error, t`The board could not be reached`));
      }
    },
  };
};
