/** A bean whose crease is a roast curve. */
export const Logo = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 64 64" aria-hidden className={className}>
    <g transform="rotate(-38 32 32)">
      <ellipse cx="32" cy="32" rx="27" ry="19" className="fill-accent" />
      <path
        d="M4 31c6 0 7 7 13 7 8.500 0 10.500-13 21-14.200 7-.8 14 1.200 22.500 6"
        fill="none"
        strokeWidth="5"
        strokeLinecap="round"
        className="stroke-surface"
      />
    </g>
  </svg>
);
