import { addressText, placeKey, type BitCandidate } from '@roastery/contract/decodings';
import type { PickedSignal } from '@roastery/contract/map-draft';
import { Badge } from '../../ui/Badge.tsx';
import { Select } from '../../ui/Select.tsx';
import { signalChoices, type SignalChoice } from './channel-choices.ts';
import { Sparkline } from './Sparkline.tsx';

interface BitRowsProps {
  bits: readonly BitCandidate[];
  unit: number;
  signals: readonly PickedSignal[];
  onPick: (signal: SignalChoice, bit: BitCandidate) => void;
}

/** One row a coil or discrete input: what it says, how often it changed while one looked, what it is the signal of. */
export const BitRows = ({ bits, unit, signals, onPick }: BitRowsProps) => (
  <ul aria-label="Bits" className="divide-y divide-stroke">
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
            <Badge tone={isUp ? 'success' : 'neutral'}>{isUp ? 'On' : 'Off'}</Badge>
          </span>
          <span className="figures text-sm text-muted">
            {bit.changes === 0 ? 'Did not change' : bit.changes === 1 ? 'Changed once' : `Changed ${bit.changes} times`}
          </span>
          <span className="justify-self-end md:justify-self-auto">
            <Sparkline values={bit.place.words} />
          </span>
          <Select
            label={`${address} is`}
            hideLabel
            size="sm"
            className="col-span-2 md:col-span-1"
            choices={signalChoices}
            value={(picked?.event as SignalChoice | undefined) ?? 'none'}
            onChange={(signal) => onPick(signal, bit)}
          />
        </li>
      );
    })}
  </ul>
);
