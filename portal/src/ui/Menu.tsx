import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import {
  cloneElement,
  useEffect,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type ReactElement,
  type ReactNode,
} from 'react';
import { Link } from 'react-router-dom';
import { classes, popupClass, popupItemClass, popupLayer } from './classes.ts';

interface MenuProps {
  /** The button that opens it, e.g. an IconButton. */
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
  /** Open at once: its code was loaded because the person opened it. */
  defaultOpen?: boolean;
}

/**
 * Until it is first opened only its button is rendered: a list has a menu in each of its rows, and a phone takes 10 ms
 * for each.
 */
export const Menu = (props: MenuProps) => {
  const [opened, setOpened] = useState<'by-pointer' | 'by-key' | undefined>(
    props.defaultOpen === true ? 'by-pointer' : undefined,
  );
  if (opened !== undefined) return <OpenedMenu {...props} isByKey={opened === 'by-key'} />;
  return cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    // A key also clicks, with a click count of zero.
    onClick: ({ detail }) => setOpened(detail === 0 ? 'by-key' : 'by-pointer'),
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      event.preventDefault();
      setOpened('by-key');
    },
  });
};

const OpenedMenu = ({
  trigger,
  children,
  align = 'end',
  side = 'bottom',
  isByKey,
}: MenuProps & { isByKey: boolean }) => {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isByKey) return;
    // As a key at this button would do: the first choice gets the focus.
    button.current?.focus();
    button.current?.click();
  }, [isByKey]);
  return (
    <Base.Root defaultOpen={!isByKey}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} side={side} collisionPadding={8} className={popupLayer}>
          <Base.Popup className={classes(popupClass, 'max-h-(--available-height)! min-w-44')}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
};

interface MenuItemProps {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export const MenuItem = ({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) => (
  <Base.Item
    onClick={onSelect}
    disabled={disabled}
    className={classes(
      popupItemClass,
      danger && 'text-danger data-highlighted:bg-danger-soft data-highlighted:text-danger',
    )}
  >
    {icon}
    {children}
  </Base.Item>
);

export const MenuLink = ({ to, icon, children }: { to: string; icon?: ReactNode; children: ReactNode }) => (
  <Base.LinkItem render={<Link to={to} />} closeOnClick className={popupItemClass}>
    {icon}
    {children}
  </Base.LinkItem>
);

export const MenuSeparator = () => <Base.Separator className="-mx-1 my-1 h-px bg-stroke" />;

interface MenuChoicesProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string; icon?: ReactNode }[];
  onChange: (value: Value) => void;
}

/** One of several choices, e.g. the theme. */
export const MenuChoices = <Value extends string>({ label, value, choices, onChange }: MenuChoicesProps<Value>) => (
  <Base.Group>
    <Base.GroupLabel className="label-mono px-2 pt-1.5 pb-1">{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={(next: Value) => onChange(next)}>
      {choices.map((choice) => (
        <Base.RadioItem key={choice.value} value={choice.value} className={popupItemClass}>
          {choice.icon}
          <span className="flex-1">{choice.label}</span>
          <Base.RadioItemIndicator>
            <Check aria-hidden className="text-accent-text" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
);

/** On or off; the menu stays open. For column visibility. */
export const MenuToggle = ({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) => (
  <Base.CheckboxItem checked={checked} onCheckedChange={onChange} closeOnClick={false} className={popupItemClass}>
    <span className="w-4">
      <Base.CheckboxItemIndicator>
        <Check aria-hidden className="text-accent-text" />
      </Base.CheckboxItemIndicator>
    </span>
    {children}
  </Base.CheckboxItem>
);
