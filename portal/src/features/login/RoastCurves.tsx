const gridLines = [120, 240, 360, 480, 600, 720];

/** The curves of a roast, faint behind the sign-in: bean temperature, exhaust, rate of rise. Decoration only. */
export const RoastCurves = () => (
  <svg
    aria-hidden
    viewBox="0 0 1440 900"
    preserveAspectRatio="xMidYMid slice"
    fill="none"
    className="absolute inset-0 size-full opacity-30"
  >
    {gridLines.map((y) => (
      <line
        key={y}
        x1="0"
        x2="1440"
        y1={y}
        y2={y}
        className="stroke-stroke-strong"
        strokeWidth="1"
        strokeDasharray="2 8"
      />
    ))}
    <path
      d="M0 330C40 340 70 560 150 640c40 38 90 30 170-14C520 520 640 440 820 350c160-80 330-132 620-170"
      className="stroke-curve-bean"
      strokeWidth="3.5"
    />
    <path
      d="M0 250c50 60 90 200 170 230 60 22 120-30 200-90 180-130 380-190 560-225 160-30 330-45 510-60"
      className="stroke-curve-exhaust"
      strokeWidth="1.75"
      strokeDasharray="10 6"
    />
    <path
      d="M0 860C60 860 80 470 170 440c60-18 110 20 190 70 190 115 330 150 520 200 130 34 210 10 270 40 60 28 140 66 290 84"
      className="stroke-curve-rate"
      strokeWidth="1.75"
      strokeDasharray="2 6"
    />
  </svg>
);
