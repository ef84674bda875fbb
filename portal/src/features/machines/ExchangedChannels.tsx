import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

interface ExchangedChannelsProps {
  /** Of the machine. */
  name: string;
  /** How many in a row agree. */
  roasts: number;
  /** Shows the registers of both channels; undefined for people who can't change them. */
  onCheck: (() => void) | undefined;
}

/** What a board finds when the bean probe of its map behaves like the exhaust, and the exhaust like the beans. */
export const ExchangedChannels = ({ name, roasts, onCheck }: ExchangedChannelsProps) => (
  <section
    aria-label={t`Channels of ${name}`}
    className="flex flex-col gap-2 rounded-md bg-warning-soft px-3 py-2.5 text-sm"
  >
    <p className="text-pretty text-strong">
      {t`Bean and exhaust temperature look exchanged (${formatCount(roasts)} roasts agree)`}
    </p>
    {onCheck && (
      <div className="flex flex-wrap gap-2">
        <Button aria-label={t`Check registers of ${name}`} onClick={onCheck}>
          {t`Check registers`}
        </Button>
      </div>
    )}
  </section>
);
