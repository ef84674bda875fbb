import { classes } from './classes.ts';

/** Decorative: whatever is loading says so in words beside it. */
export const Spinner = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 16 16" fill="none" aria-hidden className={classes('size-4 animate-spin', className)}>
    <circle cx="8" cy="8" r="6.25" stroke="currentColor" strokeWidth="1.5" opacity="0.25" />
    <path d="M8 1.75A6.25 6.25 0 0 1 14.25 8" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
  </svg>
);
