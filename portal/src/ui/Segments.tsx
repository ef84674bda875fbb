import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

interface SegmentsProps<Value extends string> {
  /** Accessible name; visible with `showLabel`. */
  label: string;
  showLabel?: boolean;
  choices: readonly { value: Value; label: string; icon?: ReactNode }[];
  /** `null` while none is chosen. */
  value: Value | null;
  onChange: (value: Value) => void;
  className?: string;
}

/** One of a few visible choices: theme, unit, period. Arrow keys move between them. */
export const Segments = <Value extends string>(props: SegmentsProps<Value>) => {
  const { label, showLabel = false, choices, value, onChange, className } = props;
  return (
    <div className={classes('flex min-w-0 flex-col gap-1.5', className)}>
      {showLabel && (
        <span aria-hidden className="text-sm font-medium text-content">
          {label}
        </span>
      )}
      <RadioGroup
        aria-label={label}
        value={value ?? ''}
        onValueChange={(next: Value | '') => {
          if (next !== '') onChange(next);
        }}
        className="inline-flex max-w-full self-start rounded-md border border-stroke-strong bg-sunken p-0.5"
      >
        {choices.map((choice) => (
          <Radio.Root
            key={choice.value}
            value={choice.value}
            aria-label={choice.label}
            className="inline-flex h-7 min-w-0 cursor-pointer items-center justify-center gap-1.5 rounded-sm px-2.5 text-sm text-muted select-none hover:text-strong data-checked:bg-surface data-checked:font-medium data-checked:text-strong data-checked:outline data-checked:outline-stroke-strong focus-visible:outline-2! focus-visible:outline-focus! pointer-coarse:h-10 [&_svg]:size-4 [&_svg]:shrink-0"
          >
            {choice.icon}
            <span className="truncate">{choice.label}</span>
          </Radio.Root>
        ))}
      </RadioGroup>
    </div>
  );
};
