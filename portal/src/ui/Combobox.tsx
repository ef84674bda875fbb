import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown, X } from 'lucide-react';
import { useMemo, type Ref } from 'react';
import { classes, popupClass, popupItemClass, popupLayer } from './classes.ts';
import { controlClass, FieldFrame, type FieldProps } from './Field.tsx';
import type { Choice } from './Select.tsx';
import { Skeleton } from './Card.tsx';
import { t } from '../language/t.ts';

interface ComboboxProps extends FieldProps {
  choices: readonly Choice[];
  value: string | null;
  onChange: (value: string | null) => void;
  onBlur?: (() => void) | undefined;
  /** Called as the person types; with `filtered` the server searches. */
  onSearch?: ((text: string) => void) | undefined;
  /** Called when the list opens: the options can be loaded from then on. */
  onOpen?: (() => void) | undefined;
  /** The choices are the result of the search: they are not filtered again. */
  filtered?: boolean;
  /** The chosen value has no name yet: a skeleton is shown instead of the id. */
  isLoading?: boolean;
  /** Label of a value that is not among the choices; by default the value itself. */
  unknown?: string;
  placeholder?: string | undefined;
  emptyText?: string;
  size?: 'sm' | 'md';
  disabled?: boolean;
  ref?: Ref<HTMLInputElement> | undefined;
}

/** Options that are drawn at once. More are found by typing. */
const maxDrawn = 200;

/** A value of a long list, found by typing. */
export const Combobox = (props: ComboboxProps) => {
  const {
    choices,
    value,
    onChange,
    onBlur,
    onSearch,
    onOpen,
    filtered = false,
    isLoading = false,
    unknown,
    placeholder,
    size = 'md',
    disabled,
    ref,
    ...rest
  } = props;
  const { emptyText = t`Nothing found`, ...field } = rest;
  const known = choices.find((choice) => choice.value === value)?.label;
  const isNameless = isLoading && value !== null && known === undefined;
  // While loading, the field holds the id, hidden: an empty field would alternate between search and reset. It accepts
  // no typing until then, because the arriving name would replace the typed text; it can be cleared.
  const label = known ?? (isLoading ? value : unknown) ?? value;
  // The same object for the same content: a new one would replace the typed text with the chosen name.
  const chosen = useMemo(() => (value === null || label === null ? null : { value, label }), [value, label]);
  return (
    <FieldFrame {...field}>
      {(wiring) => (
        <Base.Root
          items={choices}
          limit={maxDrawn}
          value={chosen}
          onValueChange={(next) => onChange(next?.value ?? null)}
          onInputValueChange={(text) => onSearch?.(text)}
          onOpenChange={(isOpen) => {
            if (isOpen) onOpen?.();
          }}
          isItemEqualToValue={(one, other) => one.value === other.value}
          {...(filtered ? { filter: null } : {})}
          {...(disabled === undefined ? {} : { disabled })}
        >
          <div className="relative">
            <Base.Input
              {...wiring}
              ref={ref}
              onBlur={onBlur}
              placeholder={isNameless ? undefined : placeholder}
              readOnly={isNameless}
              aria-busy={isNameless || undefined}
              aria-required={field.required || undefined}
              className={controlClass(size, isNameless ? 'pr-16 text-transparent!' : 'pr-16')}
            />
            {isNameless && (
              <span className="pointer-events-none absolute inset-y-0 left-3 flex w-2/5 items-center">
                <Skeleton className="h-3 w-full" />
              </span>
            )}
            <div className="absolute inset-y-0 right-1.5 flex items-center text-faint [&_button]:p-1.5 [&_svg]:size-4">
              {value !== null && (
                <Base.Clear aria-label={t`Clear ${field.label}`} className="rounded-sm hover:text-strong">
                  <X aria-hidden />
                </Base.Clear>
              )}
              <Base.Trigger aria-label={t`Show ${field.label} list`} className="rounded-sm hover:text-strong">
                <ChevronsUpDown aria-hidden />
              </Base.Trigger>
            </div>
          </div>
          <Base.Portal>
            <Base.Positioner sideOffset={4} className={popupLayer}>
              <Base.Popup className={popupClass}>
                <Base.Empty className="px-2 py-1.5 text-muted empty:hidden">{emptyText}</Base.Empty>
                <Base.List>
                  {(choice: Choice) => (
                    <Base.Item key={choice.value} value={choice} className={classes(popupItemClass, 'justify-between')}>
                      <span className="min-w-0 flex-1 truncate">{choice.label}</span>
                      {choice.hint !== undefined && <span className="text-xs text-muted">{choice.hint}</span>}
                      <span className="w-4">
                        <Base.ItemIndicator>
                          <Check aria-hidden className="text-accent-text" />
                        </Base.ItemIndicator>
                      </span>
                    </Base.Item>
                  )}
                </Base.List>
                {choices.length > maxDrawn && (
                  <p className="border-t border-stroke px-2 pt-1.5 text-xs text-muted">
                    {t`Type to search all ${choices.length}`}
                  </p>
                )}
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </FieldFrame>
  );
};
