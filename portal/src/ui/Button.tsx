import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link, type LinkProps } from 'react-router-dom';
import { classes } from './classes.ts';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ControlSize = 'sm' | 'md' | 'lg';

const kinds: Record<ButtonKind, string> = {
  primary: 'border-transparent bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border-stroke-strong bg-surface text-strong hover:bg-hover',
  quiet: 'border-transparent text-content hover:bg-hover hover:text-strong',
  danger: 'border-transparent bg-danger text-on-danger hover:bg-danger-hover',
};
// 32 px on a desk, 40 px in forms, 48 px at the machine.
const sizes: Record<ControlSize, string> = {
  sm: 'h-8 gap-1.5 px-2.5 text-sm pointer-coarse:h-10',
  md: 'h-10 gap-2 px-3.5 text-base',
  lg: 'h-12 gap-2 px-5 text-lg',
};

export const buttonClass = (kind: ButtonKind = 'secondary', size: ControlSize = 'sm', extra?: string): string =>
  classes(
    'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap select-none',
    'transition-colors duration-100 [&_svg]:size-4 [&_svg]:shrink-0',
    'disabled:cursor-not-allowed disabled:border-stroke disabled:bg-sunken disabled:text-muted',
    kinds[kind],
    sizes[size],
    extra,
  );

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: ButtonKind;
  size?: ControlSize;
  icon?: ReactNode;
  /** Shows a spinner and ignores clicks while a request is running. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export const Button = ({ kind, size, icon, busy = false, className, children, disabled, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    disabled={disabled === true || busy}
    aria-busy={busy || undefined}
    className={buttonClass(kind, size, className)}
  >
    {busy ? <Spinner /> : icon}
    {children}
  </button>
);

interface ButtonLinkProps extends LinkProps {
  kind?: ButtonKind;
  size?: ControlSize;
  icon?: ReactNode;
}

/** A link that looks like a button. */
export const ButtonLink = ({ kind, size, icon, className, children, ...rest }: ButtonLinkProps) => (
  <Link {...rest} className={buttonClass(kind, size, className)}>
    {icon}
    {children}
  </Link>
);

/** Decorative: the label beside it names what is loading. */
export const Spinner = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 16 16" fill="none" aria-hidden className={classes('size-4 animate-spin', className)}>
    <circle cx="8" cy="8" r="6.25" stroke="currentColor" strokeWidth="1.5" opacity="0.25" />
    <path d="M8 1.75A6.25 6.25 0 0 1 14.25 8" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
  </svg>
);
