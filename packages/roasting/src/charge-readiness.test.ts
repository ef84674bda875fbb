import { describe, expect, it } from 'vitest';
import { chargeReadiness } from './charge-readiness.ts';

describe('charge readiness', () => {
  it('is unknown without a target or a reading', () => {
    expect(chargeReadiness(200, 0, null)).toEqual({ state: 'unknown' });
    expect(chargeReadiness(null, 0, 200)).toEqual({ state: 'unknown' });
    expect(chargeReadiness(undefined, 0, 200)).toEqual({ state: 'unknown' });
  });

  it('returns how far and how long a drum has to heat or cool', () => {
    expect(chargeReadiness(180, 10, 200)).toEqual({ state: 'below', differenceC: -20, inSeconds: 120 });
    expect(chargeReadiness(230, -6, 200)).toEqual({ state: 'above', differenceC: 30, inSeconds: 300 });
  });

  it('makes no prediction for a drum that moves away or would take too long', () => {
    expect(chargeReadiness(180, -5, 200)).toMatchObject({ state: 'below', inSeconds: null });
    expect(chargeReadiness(180, 0.5, 200)).toMatchObject({ state: 'below', inSeconds: null });
    expect(chargeReadiness(180, null, 200)).toMatchObject({ state: 'below', inSeconds: null });
  });

  it('is ready in range and steady, and moving while the drum passes through', () => {
    expect(chargeReadiness(201, 1, 200).state).toBe('ready');
    expect(chargeReadiness(198, 12, 200)).toEqual({ state: 'moving', differenceC: -2, inSeconds: 10 });
    expect(chargeReadiness(200, null, 200).state).toBe('moving');
  });
});
