import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useId, type Ref } from 'react';
import { classes, popupClass, popupItemClass, popupLayer } from './classes.ts';
import { controlClass, FieldFrame, type FieldProps } from './Field.tsx';
import { t } from '../language/t.ts';

export interface Choice<Value extends string = string> {
  value: Value;
  label: string;
  /** Dim, at the end of the row. */
  hint?: string | undefined;
}

interface SelectProps<Value extends string> extends FieldProps {
  choices: readonly Choice<Value>[];
  /** `null` while nothing is chosen. */
  value: Value | null;
  onChange: (value: Value) => void;
  onBlur?: (() => void) | undefined;
  /** Called when the list opens: the options can be loaded from then on. */
  onOpen?: (() => void) | undefined;
  placeholder?: string | undefined;
  size?: 'sm' | 'md';
  disabled?: boolean;
  name?: string;
  ref?: Ref<HTMLButtonElement> | undefined;
}

/** A value of a short list. For long or searchable lists use Combobox. In a form, use it inside a `FormField`. */
export const Select = <Value extends string>(props: SelectProps<Value>) => {
  const { choices, value, onChange, onBlur, onOpen, placeholder, size = 'md', disabled, name, ref, ...field } = props;
  const labelId = useId();
  return (
    <FieldFrame {...field} labelId={labelId}>
      {(wiring) => (
        <Base.Root
          items={choices}
          value={value}
          onValueChange={(next) => {
            if (next !== null) onChange(next);
          }}
          onOpenChange={(isOpen) => {
            if (isOpen) onOpen?.();
          }}
          {...(disabled === undefined ? {} : { disabled })}
          {...(name === undefined ? {} : { name })}
        >
          <Base.Trigger
            {...wiring}
            ref={ref}
            onBlur={onBlur}
            aria-labelledby={`${labelId} ${wiring.id}`}
            aria-required={field.required || undefined}
            className={classes(
              controlClass(size),
              'flex items-center justify-between gap-2 text-left data-popup-open:border-focus',
            )}
          >
            <Base.Value className="min-w-0 flex-1 truncate">
              {(current: Value | null) => (
                <span className={classes(current === null && 'text-faint')}>
                  {choices.find((choice) => choice.value === current)?.label ?? current ?? placeholder ?? t`Choose…`}
                </span>
              )}
            </Base.Value>
            <Base.Icon className="shrink-0 text-faint [&_svg]:size-4">
              <ChevronsUpDown aria-hidden />
            </Base.Icon>
          </Base.Trigger>
          <Base.Portal>
            <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className={popupLayer}>
              <Base.Popup aria-label={field.label} className={popupClass}>
                {choices.map((choice) => (
                  <Base.Item key={choice.value} value={choice.value} className={popupItemClass}>
                    <Base.ItemText className="flex-1">{choice.label}</Base.ItemText>
                    {choice.hint !== undefined && <span className="text-xs text-muted">{choice.hint}</span>}
                    <span className="w-4">
                      <Base.ItemIndicator>
                        <Check aria-hidden className="text-accent-text" />
                      </Base.ItemIndicator>
                    </span>
                  </Base.Item>
                ))}
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </FieldFrame>
  );
};
