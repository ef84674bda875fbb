import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger' | 'info';

const tones: Record<Tone, string> = {
  neutral: 'border-stroke-strong bg-sunken text-content',
  accent: 'border-transparent bg-accent-soft text-accent-text',
  success: 'border-transparent bg-success-soft text-success',
  warning: 'border-transparent bg-warning-soft text-warning',
  danger: 'border-transparent bg-danger-soft text-danger',
  info: 'border-transparent bg-info-soft text-info',
};

interface BadgeProps {
  tone?: Tone;
  icon?: ReactNode;
  /** For codes and types. */
  mono?: boolean;
  children: ReactNode;
  className?: string;
}

export const Badge = ({ tone = 'neutral', icon, mono = false, children, className }: BadgeProps) => (
  <span
    className={classes(
      'inline-flex h-5.5 max-w-full shrink-0 items-center gap-1 rounded-sm border px-1.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3',
      mono && 'font-mono tracking-tight',
      tones[tone],
      className,
    )}
  >
    {icon}
    <span className="truncate">{children}</span>
  </span>
);

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-stroke-strong bg-surface px-1 font-mono text-2xs text-muted">
    {children}
  </kbd>
);

const dotTones = {
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
  faint: 'bg-stroke-control',
  accent: 'bg-accent',
};

interface LiveDotProps {
  tone: keyof typeof dotTones;
  /** An animated ring while something is running. */
  pulsing?: boolean;
}

/** A state as a dot; always with its label beside it. */
export const LiveDot = ({ tone, pulsing = false }: LiveDotProps) => (
  <span aria-hidden className="relative inline-flex size-2 shrink-0">
    {pulsing && (
      <span
        className={classes('absolute inset-0 animate-[ring_1.8s_ease-out_infinite] rounded-full', dotTones[tone])}
      />
    )}
    <span className={classes('relative size-2 rounded-full', dotTones[tone])} />
  </span>
);
