import { Checkbox as Base } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

interface CheckboxProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** Some but not all of the items are checked. */
  indeterminate?: boolean;
  /** The label is for screen readers only, as in a table row. */
  hideLabel?: boolean;
  disabled?: boolean;
  className?: string;
}

/** A checkbox with its label; the whole line is the target, at least 40 px tall by touch. */
export const Checkbox = ({
  label,
  checked,
  onChange,
  indeterminate = false,
  hideLabel = false,
  disabled = false,
  className,
}: CheckboxProps) => (
  <label
    className={classes(
      'inline-flex cursor-pointer items-center gap-2 text-sm text-content select-none pointer-coarse:min-h-11',
      hideLabel && 'justify-center p-1 pointer-coarse:min-w-11',
      className,
    )}
  >
    <Base.Root
      checked={checked}
      indeterminate={indeterminate}
      onCheckedChange={onChange}
      disabled={disabled}
      className="flex size-4.5 shrink-0 items-center justify-center rounded-sm border border-stroke-control bg-surface text-on-accent transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50 data-indeterminate:border-accent data-indeterminate:bg-accent focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-focus"
    >
      <Base.Indicator className="[&_svg]:size-3.5">
        {indeterminate ? <Minus strokeWidth={3} aria-hidden /> : <Check strokeWidth={3} aria-hidden />}
      </Base.Indicator>
    </Base.Root>
    <span className={hideLabel ? 'sr-only' : undefined}>{label}</span>
  </label>
);

interface SwitchProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  className?: string;
}

/** Takes effect at once; inside a form that is saved, use Checkbox. */
export const Switch = ({ label, checked, onChange, disabled = false, className }: SwitchProps) => (
  <label
    className={classes(
      'inline-flex cursor-pointer items-center gap-2.5 text-sm text-content select-none pointer-coarse:min-h-10',
      className,
    )}
  >
    <BaseSwitch.Root
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      className="h-5 w-9 shrink-0 rounded-full border border-stroke-control bg-sunken p-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50 focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-focus"
    >
      <BaseSwitch.Thumb className="block size-3.5 rounded-full bg-stroke-control transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
    </BaseSwitch.Root>
    <span>{label}</span>
  </label>
);
