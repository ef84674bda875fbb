import { expect, it } from 'vitest';
import { layOutLabels } from './mark-layout.ts';

const widthOf = (text: string): number => text.length * 7;
const wish = (at: number, weight: number, ...texts: string[]) => ({ at, weight, texts });

it('shows full labels where there is room, centred above their marks', () => {
  const [dry, crack] = layOutLabels(
    [wish(200, 1, 'Dry end 4:20', 'Dry end'), wish(600, 2, 'FC 9:07 198°', 'FC')],
    widthOf,
    0,
    800,
  );
  expect(dry).toEqual({ text: 'Dry end 4:20', left: 200 - 42, width: 84 });
  expect(crack?.text).toBe('FC 9:07 198°');
});

it('aligns a label’s end with its mark when a neighbour prevents centring', () => {
  const [crack, drop] = layOutLabels([wish(740, 3, 'FC 9:07 198°', 'FC'), wish(800, 2, 'Drop')], widthOf, 0, 800);
  expect(crack).toEqual({ text: 'FC 9:07 198°', left: 744 - 84, width: 84 });
  expect((drop?.left ?? 0) + (drop?.width ?? 0)).toBe(800);
});

it('shortens neighbours before it hides one, and gives the longer text to the greater weight', () => {
  const [crack, drop] = layOutLabels(
    [wish(60, 3, 'FC 9:07 198.5°', 'FC 9:07', 'FC'), wish(110, 2, 'Drop 10:32 209.0°', 'Drop 10:32', 'Drop')],
    widthOf,
    0,
    120,
  );
  expect(crack?.text).toBe('FC 9:07');
  expect(drop?.text).toBe('Drop');
});

it('hides the label with the smallest weight as a last resort, and never lets two touch', () => {
  const wishes = [wish(10, 1, 'Charge'), wish(20, 2, 'TP'), wish(24, 3, 'Dry end')];
  const placed = layOutLabels(wishes, widthOf, 0, 60).filter((label) => label !== null);
  expect(placed.map(({ text }) => text)).toEqual(['Dry end']);
});
