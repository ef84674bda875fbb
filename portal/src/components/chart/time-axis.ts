/** Ticks every 60 s as the document has it; wider or finer only where 60 s would crowd or leave the axis bare. */
export const tickStepSeconds = (windowSeconds: number, pixels: number): number => {
  const fitting = Math.max(2, Math.floor(pixels / 44));
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];
  if (windowSeconds / 60 >= 4 && windowSeconds / 60 <= fitting) return 60;
  return steps.find((step) => windowSeconds / step <= fitting && (step >= 60 || windowSeconds < 240)) ?? 3600;
};

/** Seconds since charge as the axis writes them, mm:ss: `01:00`, `-00:30` before it, `75:00`. */
export const tickLabel = (seconds: number): string => {
  const whole = Math.round(Math.abs(seconds));
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0'));
  return `${seconds < 0 && whole > 0 ? '-' : ''}${minutes}:${rest}`;
};
