import { describe, expect, it } from 'vitest';
import type { ProfileLine } from './profile-chart-lines.ts';
import { lineValueAt, profileBackdrop, profileLines } from './profile-chart-lines.ts';

const colourOf = (token: string): string => `oklch(0.5 0.1 ${token.length})`;
const points = [
  { time: 0, burner: 100, exhaust: 30, drum: 60 },
  { time: 600, burner: 0, exhaust: 90, drum: 30 },
];
const burnerOf = (lines: readonly ProfileLine[]) => lines.find((line) => line.label === 'Burner') as ProfileLine;

describe('the preview of a profile', () => {
  it('interpolated, is on the line between two points', () => {
    const burner = burnerOf(profileLines(points, true, 720, colourOf));
    expect(lineValueAt(burner, 300)).toBe(50);
    expect(lineValueAt(burner, 600)).toBe(0);
    expect(lineValueAt(burner, 601)).toBeNull();
  });

  it('otherwise holds every value until the next, and the last one to the end', () => {
    const burner = burnerOf(profileLines(points, false, 720, colourOf));
    expect(lineValueAt(burner, 599)).toBe(100);
    expect(lineValueAt(burner, 600)).toBe(0);
    expect(lineValueAt(burner, 720)).toBe(0);
  });

  it('shows a past roast behind it: bean temperature in the reader’s unit, drum in RPM, gaps as gaps', () => {
    const curve = {
      time_seconds: [0, 1, 2],
      channels: { bean_temp: [200, 100, null], drum_speed: [50, 60, 70] },
      ror: [null, null, null],
    };
    const lines = profileBackdrop({ label: 'Roast PR-1', curve, maxDrumRpm: 80 }, 'F', colourOf);
    expect(lines.map(({ label, behind }) => [label, behind])).toEqual([
      ['Bean temp', true],
      ['Drum', true],
    ]);
    expect(lineValueAt(lines[0] as ProfileLine, 0)).toBe(392);
    expect(lineValueAt(lines[0] as ProfileLine, 1.5)).toBeNull();
    expect(lineValueAt(lines[1] as ProfileLine, 1)).toBe(48);
    const unknownDrum = profileBackdrop({ label: 'x', curve, maxDrumRpm: null }, 'C', colourOf);
    expect(unknownDrum.map(({ label }) => label)).toEqual(['Bean temp']);
  });
});
