/** A bar in a table cell, relative to the longest, with its figure. */
export const ShareBar = ({ share, text }: { share: number; text: string }) => (
  <span className="flex items-center gap-2.5">
    <span aria-hidden className="h-2 min-w-0 flex-1 max-sm:hidden">
      <span
        className="block h-full min-w-px rounded-r-sm bg-accent"
        style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }}
      />
    </span>
    <span className="figures w-20 shrink-0 text-right text-strong max-sm:w-auto">{text}</span>
  </span>
);

interface RangeBarProps {
  mean: number | null;
  deviation: number | null;
  /** Ends of the axis that all rows share. */
  range: readonly [low: number, high: number];
  text: string;
}

/** A mean as a dot, its standard deviation as a bar around it. */
export const RangeBar = ({ mean, deviation, range: [low, high], text }: RangeBarProps) => {
  const place = (value: number) => Math.max(0, Math.min(100, ((value - low) / (high - low || 1)) * 100));
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden className="relative h-3 min-w-0 flex-1 max-sm:hidden">
        <span className="absolute inset-x-0 top-1/2 h-px bg-stroke" />
        {mean !== null && (
          <>
            <span
              className="absolute top-1/2 h-1 -translate-y-1/2 rounded-full bg-curve-bean opacity-30"
              style={{
                left: `${place(mean - (deviation ?? 0))}%`,
                right: `${100 - place(mean + (deviation ?? 0))}%`,
              }}
            />
            <span
              className="absolute top-1/2 size-2 -translate-1/2 rounded-full bg-curve-bean"
              style={{ left: `${place(mean)}%` }}
            />
          </>
        )}
      </span>
      <span className="figures w-27 shrink-0 text-right text-strong max-sm:w-auto">{text}</span>
    </span>
  );
};
