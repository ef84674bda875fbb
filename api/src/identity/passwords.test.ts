import { expect, it } from 'vitest';
import { AppError } from '../http/app-error.ts';
import { hashCheaply, hashPassword, isPassword, randomPassword, refuseCommonPassword } from './passwords.ts';

const password = 'washed lots of Huila 12';

it('passwords: are hashed with 19 MiB and two passes, but by tests that are not about them', async () => {
  const usual = await hashPassword(password);
  expect(usual).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  hashCheaply();
  const cheap = await hashPassword(password);
  expect(cheap).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
  for (const stored of [usual, cheap]) {
    expect(await isPassword(stored, password)).toBe(true);
    expect(await isPassword(stored, `${password}3`)).toBe(false);
  }
});

it('passwords: no password is that of an account which does not exist', async () => {
  expect(await isPassword(undefined, 'no account has this password')).toBe(false);
});

it('passwords: common ones and the address are refused, made-up ones are accepted', () => {
  for (const common of ['password1', 'Ana@Roastery.Example', 'football'])
    expect(() => refuseCommonPassword(common, 'ana@roastery.example', 'password'), common).toThrow(AppError);
  const [one, other] = [randomPassword(), randomPassword()];
  expect(one).toMatch(/^(?:[a-z2-9]{5}-){3}[a-z2-9]{5}$/);
  expect(other).not.toBe(one);
  expect(() => refuseCommonPassword(one, 'ana@roastery.example', 'password')).not.toThrow();
});
