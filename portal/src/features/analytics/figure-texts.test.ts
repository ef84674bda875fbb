import { describe, expect, it } from 'vitest';
import { changeText, differenceText, moneyText, ratioText, roastsText } from './figure-texts.ts';
import { roastsLink } from './roasts-link.ts';

describe('texts of figures', () => {
  it('contain a ratio with its spread', () => {
    expect(ratioText(0.1834, 0.0121)).toBe('18.3 ± 1.2%');
    expect(ratioText(0.2, null)).toBe('20.0%');
    expect(ratioText(null, null)).toBe('--');
  });

  it('convert a difference to °F without adding 32', () => {
    expect(differenceText(5, 'C')).toBe('5.0');
    expect(differenceText(5, 'F')).toBe('9.0');
    expect(differenceText(null, 'F')).toBe('--');
  });

  it('compare with the previous value', () => {
    expect(changeText(112, 100)).toBe('+12%');
    expect(changeText(80, 100)).toBe('−20%');
    expect(changeText(100, 100)).toBe('±0%');
    expect(changeText(100, 0)).toBeUndefined();
    expect(changeText(100, undefined)).toBeUndefined();
  });

  it('contain counts and amounts of money', () => {
    expect(roastsText(1)).toBe('1 roast');
    expect(roastsText(1200)).toBe('1,200 roasts');
    expect(moneyText(106.875)).toBe('$106.88');
  });
});

describe('the link behind a figure', () => {
  it('contains the keys of the list of roasts', () => {
    expect(roastsLink({})).toBe('/roasts');
    expect(roastsLink({ from: '2026-01-01', coffee_name: 'Sidra & Co', lot_id: 'x' })).toBe(
      '/roasts?from=2026-01-01&coffee_name=Sidra+%26+Co&lot_id=x',
    );
  });
});
