import { classes } from './classes.ts';

const tones = {
  success: 'bg-success',
  warning: 'bg-warning',
  danger: 'bg-danger',
  faint: 'bg-stroke-control',
  accent: 'bg-accent',
};

interface LiveDotProps {
  tone: keyof typeof tones;
  /** A ring that spreads while something is running. */
  pulsing?: boolean;
}

/** A state as a dot; always put its word beside it. */
export const LiveDot = ({ tone, pulsing = false }: LiveDotProps) => (
  <span aria-hidden className="relative inline-flex size-2 shrink-0">
    {pulsing && (
      <span className={classes('absolute inset-0 animate-[ring_1.8s_ease-out_infinite] rounded-full', tones[tone])} />
    )}
    <span className={classes('relative size-2 rounded-full', tones[tone])} />
  </span>
);
