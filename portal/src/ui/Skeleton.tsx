import { classes } from './classes.ts';

/** A quiet bar where a value will be; give it the size of what it stands for, so that nothing jumps. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span
    aria-hidden
    className={classes(
      'block animate-[breathe_1.6s_ease-in-out_infinite] rounded-sm bg-hover',
      className ?? 'h-4 w-24',
    )}
  />
);
