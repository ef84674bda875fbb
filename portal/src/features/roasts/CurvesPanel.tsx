import { Check } from 'lucide-react';
import { curveStyles } from '../../components/chart/curves.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';

interface CurvesPanelProps {
  shown: Readonly<Record<string, boolean>>;
  onToggle: (key: string) => void;
  /** Channels of the recording; a curve that was not recorded can't be shown. */
  channels: readonly string[];
}

/** CURVES: one toggle per series, with its colour, its dash and a check when it is on. */
export const CurvesPanel = ({ shown, onToggle, channels }: CurvesPanelProps) => (
  <section aria-labelledby="curves-title">
    <h2 id="curves-title" className="label-mono px-1 pb-1.5">
      {t`Curves`}
    </h2>
    <div className="flex flex-col gap-0.5">
      {curveStyles.map((style) => {
        const recorded = style.channel === 'ror' ? channels.includes('bean_temp') : channels.includes(style.channel);
        const on = shown[style.key] === true;
        return (
          <button
            key={style.key}
            type="button"
            aria-pressed={on}
            disabled={!recorded}
            title={recorded ? undefined : t`Not recorded by this machine`}
            onClick={() => onToggle(style.key)}
            className={classes(
              'flex h-8 items-center gap-2.5 rounded-md px-2 text-left text-sm transition-colors pointer-coarse:h-10',
              'disabled:cursor-not-allowed disabled:opacity-45',
              on ? 'bg-sunken font-medium text-strong' : 'text-muted hover:bg-hover hover:text-strong',
            )}
          >
            <svg aria-hidden width="22" height="10" className="shrink-0">
              <line
                x1="1"
                x2="21"
                y1="5"
                y2="5"
                stroke={`var(--${style.token})`}
                strokeWidth={style.width + 0.5}
                strokeDasharray={style.dash.join(' ')}
              />
              <circle cx="11" cy="5" r="3.5" fill={`var(--${style.token})`} />
            </svg>
            <span className="flex-1">{style.label}</span>
            {on && <Check aria-hidden className="size-3.5 text-accent-text" />}
          </button>
        );
      })}
    </div>
  </section>
);
