import {
  addressText,
  decodingText,
  placeKey,
  type BitCandidate,
  type Candidate,
  type Decoding,
} from '@roastery/contract/decodings';
import type { PickedPlace, PickedSignal } from '@roastery/contract/map-draft';
import { useState } from 'react';
import { Difference, Measure } from '../../components/figures.tsx';
import { formatNumber, tenth } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';
import { Badge } from '../../ui/Badge.tsx';

/** Channels that a register can be picked as; others are added in the map editor. */
export const channelChoices = [
  { value: 'none', label: '--' },
  { value: 'bean_temp', label: t`Bean` },
  { value: 'exhaust_temp', label: t`Exhaust` },
  { value: 'burner_front_temp', label: t`Burner front` },
  { value: 'burner_back_temp', label: t`Burner back` },
  { value: 'heat_power', label: t`Heat (%)` },
  { value: 'fan_speed', label: t`Fan (%)` },
  { value: 'drum_speed', label: t`Drum (%)` },
] as const;
export type ChannelChoice = (typeof channelChoices)[number]['value'];

/** Events that a bit can be the signal of. */
export const signalChoices = [
  { value: 'none', label: '--' },
  { value: 'charge', label: t`Charge` },
  { value: 'dry_end', label: t`Dry end` },
  { value: 'first_crack', label: t`First crack` },
  { value: 'drop', label: t`Drop` },
  { value: 'cool_end', label: t`Cooling ended` },
] as const;
export type SignalChoice = (typeof signalChoices)[number]['value'];

const channelChoiceOf = (name: string | undefined): ChannelChoice =>
  channelChoices.find(({ value }) => value === name)?.value ?? 'none';
const signalChoiceOf = (name: string | undefined): SignalChoice =>
  signalChoices.find(({ value }) => value === name)?.value ?? 'none';

export const channelLabel = (name: string): string =>
  [...channelChoices, ...signalChoices].find(({ value }) => value === name)?.label ?? name;

interface RegisterRowsProps {
  candidates: readonly Candidate[];
  unit: number;
  picks: readonly PickedPlace[];
  onPick: (channel: ChannelChoice, candidate: Candidate, decoding: Decoding) => void;
}

const readingsOffered = 6;

/** One row per register: current value, change, other decodings, and the picked channel. */
export const RegisterRows = ({ candidates, unit, picks, onPick }: RegisterRowsProps) => (
  <ul aria-label={t`Registers`} className="divide-y divide-stroke">
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
  const wanted = pick === undefined ? chosen : decodingText(pick.decoding);
  const reading = readings.find(({ decoding }) => decodingText(decoding) === wanted) ?? readings[0];
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
        label={t`${address} read as`}
        hideLabel
        size="sm"
        choices={offered.map(({ decoding, values }) => ({
          value: decodingText(decoding),
          label: decodingText(decoding),
          hint: `${formatNumber(values.at(-1) ?? Number.NaN, 1)} °C`,
        }))}
        value={decodingText(reading.decoding)}
        onChange={(words) => {
          setChosen(words);
          const next = readings.find(({ decoding }) => decodingText(decoding) === words);
          if (next && pick) onPick(channelChoiceOf(pick.channel), candidate, next.decoding);
        }}
      />
      <Select
        label={t`${address} is`}
        hideLabel
        size="sm"
        choices={channelChoices}
        value={channelChoiceOf(pick?.channel)}
        onChange={(channel) => onPick(channel, candidate, reading.decoding)}
      />
    </li>
  );
};

const [width, height] = [96, 24];

/** The newest values as a curve; decorative, the numbers are beside it. */
export const Sparkline = ({ values }: { values: readonly number[] }) => {
  const shown = values.slice(-60);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  const points = shown.map((value, index) => {
    const x = shown.length < 2 ? width : (index / (shown.length - 1)) * width;
    const y = span === 0 ? height / 2 : height - 2 - ((value - low) / span) * (height - 4);
    return `${tenth(x)},${tenth(y)}`;
  });
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${height}`} className="h-6 w-24 text-accent-text">
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
};

interface BitRowsProps {
  bits: readonly BitCandidate[];
  unit: number;
  signals: readonly PickedSignal[];
  onPick: (signal: SignalChoice, bit: BitCandidate) => void;
}

/** One row per coil or discrete input: state, number of changes, and the picked event. */
export const BitRows = ({ bits, unit, signals, onPick }: BitRowsProps) => (
  <ul aria-label={t`Bits`} className="divide-y divide-stroke">
    {bits.map((bit) => {
      const address = addressText(bit.place, unit);
      const isUp = bit.place.words.at(-1) === 1;
      const picked = signals.find(({ place }) => placeKey(place) === placeKey(bit.place));
      return (
        <li
          key={placeKey(bit.place)}
          className="grid grid-cols-2 items-center gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[6rem_6rem_minmax(0,1fr)_6.5rem_10rem]"
        >
          <span className="font-mono text-sm text-content">{address}</span>
          <span className="justify-self-end md:justify-self-auto">
            <Badge tone={isUp ? 'success' : 'neutral'}>{isUp ? t`On` : t`Off`}</Badge>
          </span>
          <span className="figures text-sm text-muted">
            {bit.changes === 0
              ? t`Did not change`
              : bit.changes === 1
                ? t`Changed once`
                : t`Changed ${bit.changes} times`}
          </span>
          <span className="justify-self-end md:justify-self-auto">
            <Sparkline values={bit.place.words} />
          </span>
          <Select
            label={t`${address} is`}
            hideLabel
            size="sm"
            className="col-span-2 md:col-span-1"
            choices={signalChoices}
            value={signalChoiceOf(picked?.event)}
            onChange={(signal) => onPick(signal, bit)}
          />
        </li>
      );
    })}
  </ul>
);
