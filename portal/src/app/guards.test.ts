import { expect, it } from 'vitest';
import { safeNext } from './guards.tsx';

it.each(['/roasts/0193?tab=marks#t', '/machines', '/inventory/lots/7/edit'])(
  'continues to %s after signing in',
  (next) => {
    expect(safeNext(next)).toBe(next);
  },
);

it.each([
  null,
  '',
  'roasts',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/',
  'javascript:alert(1)',
  '/login?next=/login',
])('goes to the dashboard instead of %s', (next) => {
  expect(safeNext(next)).toBe('/dashboard');
});
