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

export interface Probe {
  /** idle: nothing asked yet. looking: places are being asked for. watching: they are read again each second. */
  /** finding: speeds and units are tried. */
  readonly phase: 'idle' | 'finding' | 'looking' | 'watching' | 'ended';
  readonly progress: Extract<ProbeMessage, { k: 'progress' | 'trying' }> | null;
  /** How the line is, when it was searched for and found. */
  readonly line: { readonly link: Link; readonly units: readonly number[] } | null;
  /** Why it ended or did not begin. */
  readonly says: string | null;
  readonly places: readonly RegisterSeries[];
}

/** Where the machine is, for a board without a machine map. */
export interface SentLink {
  readonly link?: Link;
}

const nothing: Probe = { phase: 'idle', progress: null, line: null, says: null, places: [] };
/** A board that says nothing for so long is not there. */
const patienceMs = 20_000;

/** Looks at a machine's registers while the page is open; what is seen stays on this page alone. */
export const useProbe = (machineId: string) => {
  const [probe, setProbe] = useState(nothing);
  const [listening, setListening] = useState(false);
  const [series] = useState(createProbeSeries);
  const current = useRef<string | null>(null);
  /** What came before the server had told this page the number of its own look. */
  const early = useRef<ProbeMessage[]>([]);
  const patience = useRef<ReturnType<typeof setTimeout>>(undefined);

  const end = (says: string): void => {
    clearTimeout(patience.current);
    current.current = null;
    setProbe((before) => ({ ...before, phase: 'ended', says }));
  };
  const waitForBoard = (): void => {
    clearTimeout(patience.current);
    patience.current = setTimeout(
      () => end('The board has said nothing for 20 s. Is it still online? An older agent can’t look at registers.'),
      patienceMs,
    );
  };
  const take = (message: ProbeMessage): void => {
    waitForBoard();
    if (message.k === 'ended') return end(message.says);
    if (message.k === 'progress' || message.k === 'trying')
      return setProbe((before) => ({ ...before, progress: message }));
    if (message.k === 'line')
      return setProbe((before) => ({ ...before, line: { link: message.link, units: message.units } }));
    // What is found is shown at once, and counts as the first reading.
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
      if (!parsed.success) return logError('A board said something this page does not know', describeRefusal(parsed));
      if (parsed.data.id === current.current) take(parsed.data);
      else if (early.current.length < 50) early.current.push(parsed.data);
    });
    return () => {
      source.close();
      clearTimeout(patience.current);
      if (current.current !== null) {
        call(stopProbe, { params: { id: machineId, probe_id: current.current } }).catch((error: unknown) =>
          logError('A look at registers could not be ended', error),
        );
      }
    };
    // The handlers reach what they need through refs and setters, which never change.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [machineId]);

  const begin = async (phase: 'looking' | 'finding', ask: () => Promise<{ probe_id: string }>): Promise<void> => {
    series.clear();
    early.current = [];
    // A line that was found stays known while its registers are looked at.
    setProbe(({ line }) => ({ ...nothing, phase, line: phase === 'finding' ? null : line }));
    try {
      const { probe_id: id } = await ask();
      current.current = id;
      waitForBoard();
      for (const message of early.current.filter((one) => one.id === id)) take(message);
    } catch (error) {
      end(sentenceFor(error, 'The board could not be asked'));
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
        end(sentenceFor(error, 'The board could not be asked'));
      }
    },
  };
};
