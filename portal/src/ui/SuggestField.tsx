import { Autocomplete as Base } from '@base-ui/react/autocomplete';
import { ChevronsUpDown } from 'lucide-react';
import type { Ref } from 'react';
import { controlClass, FieldFrame, type FieldProps } from './Field.tsx';
import { popupClass, popupItemClass, popupLayer } from './popup.ts';

interface SuggestFieldProps extends FieldProps {
  suggestions: readonly string[];
  value: string;
  onChange: (value: string) => void;
  onBlur?: (() => void) | undefined;
  placeholder?: string | undefined;
  maxLength?: number;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** A line of text with the usual words offered: one of them, or anything else that is typed. */
export const SuggestField = (props: SuggestFieldProps) => {
  const { suggestions, value, onChange, onBlur, placeholder, maxLength, ref, ...field } = props;
  return (
    <FieldFrame {...field}>
      {(wiring) => (
        <Base.Root items={suggestions} value={value} onValueChange={onChange} openOnInputClick>
          <div className="relative">
            <Base.Input
              {...wiring}
              ref={ref}
              onBlur={onBlur}
              placeholder={placeholder}
              maxLength={maxLength}
              autoComplete="off"
              aria-required={field.required || undefined}
              className={controlClass('md', 'pr-10')}
            />
            {suggestions.length > 0 && (
              <div className="absolute inset-y-0 right-1.5 flex items-center text-faint">
                <Base.Trigger
                  // The field itself opens the list, by click and by arrow key: for the mouse this is only the sign of it.
                  aria-hidden
                  tabIndex={-1}
                  className="rounded-sm p-1.5 hover:text-strong [&_svg]:size-4"
                >
                  <ChevronsUpDown aria-hidden />
                </Base.Trigger>
              </div>
            )}
          </div>
          <Base.Portal>
            <Base.Positioner sideOffset={4} className={popupLayer}>
              <Base.Popup className={`${popupClass} data-empty:hidden`}>
                <Base.List>
                  {(suggestion: string) => (
                    <Base.Item key={suggestion} value={suggestion} className={popupItemClass}>
                      {suggestion}
                    </Base.Item>
                  )}
                </Base.List>
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </FieldFrame>
  );
};
