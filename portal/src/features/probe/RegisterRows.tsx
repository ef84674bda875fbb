import { addressText, decodingWords, placeKey, type Candidate, type Decoding } from '@roastery/contract/decodings';
import type { PickedPlace } from '@roastery/contract/map-draft';
import { useState } from 'react';
import { Difference } from '../../components/Difference.tsx';
import { Measure } from '../../components/Measure.tsx';
import { formatNumber } from '../../format/numbers.ts';
import { Select } from '../../ui/Select.tsx';
import { channelChoices, type ChannelChoice } from './channel-choices.ts';
import { Sparkline } from './Sparkline.tsx';

interface RegisterRowsProps {
  candidates: readonly Candidate[];
  unit: number;
  picks: readonly PickedPlace[];
  onPick: (channel: ChannelChoice, candidate: Candidate, decoding: Decoding) => void;
}

const readingsOffered = 6;

/** One row a register: what it says now, how it moved, what else its bits may mean, and what it is picked as. */
export const RegisterRows = ({ candidates, unit, picks, onPick }: RegisterRowsProps) => (
  <ul aria-label="Registers" className="divide-y divide-stroke">
    {candidates.map((candidate) => (
      <RegisterRow
        key={placeKey(candidate.place)}
        candidate={candidate}
        unit={unit}
        pick={picks.find(({ place }) => placeKey(place) === placeKey(candidate.place))}
        onPick={onPick}
      />
    ))}
  </ul>
);

interface RegisterRowProps extends Pick<RegisterRowsProps, 'unit' | 'onPick'> {
  candidate: Candidate;
  pick: PickedPlace | undefined;
}

const RegisterRow = ({ candidate, unit, pick, onPick }: RegisterRowProps) => {
  const [chosen, setChosen] = useState<string | null>(null);
  const { place, readings } = candidate;
  const wanted = pick === undefined ? chosen : decodingWords(pick.decoding);
  const reading = readings.find(({ decoding }) => decodingWords(decoding) === wanted) ?? readings[0];
  const address = addressText(place, unit);
  const now = reading.values.at(-1) ?? null;
  const change = now === null ? null : now - (reading.values[0] ?? now);
  const offered = readings.filter((one, index) => index < readingsOffered || one === reading);
  return (
    <li className="grid grid-cols-2 items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[6rem_6rem_5rem_6.5rem_minmax(0,1fr)_10rem]">
      <span className="font-mono text-sm text-content">{address}</span>
      <span className="text-right text-lg font-medium md:text-left" data-testid="register-value">
        <Measure quantity="temperature" value={now} />
      </span>
      <span className="text-sm">
        <Difference valueC={change} stale={change === 0} />
      </span>
      <span className="justify-self-end md:justify-self-auto">
        <Sparkline values={reading.values} />
      </span>
      <Select
        label={`${address} read as`}
        hideLabel
        size="sm"
        choices={offered.map(({ decoding, values }) => ({
          value: decodingWords(decoding),
          label: decodingWords(decoding),
          hint: `${formatNumber(values.at(-1) ?? Number.NaN, 1)} °C`,
        }))}
        value={decodingWords(reading.decoding)}
        onChange={(words) => {
          setChosen(words);
          const next = readings.find(({ decoding }) => decodingWords(decoding) === words);
          if (next && pick) onPick(pick.channel as ChannelChoice, candidate, next.decoding);
        }}
      />
      <Select
        label={`${address} is`}
        hideLabel
        size="sm"
        choices={channelChoices}
        value={(pick?.channel as ChannelChoice | undefined) ?? 'none'}
        onChange={(channel) => onPick(channel, candidate, reading.decoding)}
      />
    </li>
  );
};
