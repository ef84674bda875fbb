import { Autocomplete as Base } from '@base-ui/react/autocomplete';
import { ChevronsUpDown } from 'lucide-react';
import { useState, type Ref } from 'react';
import { controlClass, FieldFrame, type FieldProps } from './Field.tsx';
import { popupClass, popupItemClass, popupLayer } from './classes.ts';

interface SuggestFieldProps extends FieldProps {
  suggestions: readonly string[];
  value: string;
  onChange: (value: string) => void;
  onBlur?: (() => void) | undefined;
  placeholder?: string | undefined;
  maxLength?: number;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** A text field with suggestions; any other text is accepted. */
export const SuggestField = (props: SuggestFieldProps) => {
  const { suggestions, value, onChange, onBlur, placeholder, maxLength, ref, ...field } = props;
  const [isOpen, setOpen] = useState(false);
  // A click opens the whole list, whatever the field holds; typing filters it.
  const [isTyping, setTyping] = useState(false);
  const typed = value.trim().toLowerCase();
  const offered = isTyping ? suggestions.filter((each) => each.toLowerCase().includes(typed)) : suggestions;
  // An open list hides the rest of the page from assistive technology, so it must not be empty.
  const hasMore = offered.some((suggestion) => suggestion.toLowerCase() !== typed);
  return (
    <FieldFrame {...field}>
      {(wiring) => (
        <Base.Root
          items={offered}
          mode="none"
          value={value}
          onValueChange={(next, { reason }) => {
            if (reason === 'input-change') setTyping(true);
            onChange(next);
          }}
          open={isOpen && hasMore}
          onOpenChange={(next) => {
            setOpen(next);
            if (!next) setTyping(false);
          }}
          openOnInputClick
        >
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
                  // The field itself opens the list by click and arrow key; this button is only its visible sign.
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
              <Base.Popup className={popupClass}>
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
