import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from './classes.ts';

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label'> {
  /** Accessible name, also shown on hover. */
  label: string;
  icon: ReactNode;
  size?: 'xs' | 'sm' | 'md' | 'lg';
  tone?: 'plain' | 'danger';
  ref?: Ref<HTMLButtonElement>;
}

const sizes = {
  xs: 'size-6 [&_svg]:size-3.5',
  sm: 'size-8 pointer-coarse:size-11 [&_svg]:size-4',
  md: 'size-10 [&_svg]:size-4.5',
  lg: 'size-12 [&_svg]:size-5',
};

/** Also of a link that looks like one. */
export const iconButtonClass = (
  size: keyof typeof sizes = 'sm',
  tone: 'plain' | 'danger' = 'plain',
  extra?: string,
): string =>
  classes(
    'inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors',
    'disabled:cursor-not-allowed disabled:opacity-50',
    tone === 'danger' ? 'hover:bg-danger-soft hover:text-danger' : 'hover:bg-hover hover:text-strong',
    sizes[size],
    extra,
  );

export const IconButton = ({ label, icon, size = 'sm', tone = 'plain', className, ...rest }: IconButtonProps) => (
  <button type="button" title={label} {...rest} aria-label={label} className={iconButtonClass(size, tone, className)}>
    {icon}
  </button>
);
