/** Without letters and digits that look or sound alike. */
const lower = 'abcdefghjkmnpqrstuvwxyz';
const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const digits = '23456789';
const all = lower + upper + digits;
const length = 16;

/** A uniform random number from 0 to below - 1. A plain remainder would favour small numbers. */
const draw = (below: number): number => {
  const limit = 256 - (256 % below);
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
  return byte < limit ? byte % below : draw(below);
};
const oneOf = (letters: string): string => letters.charAt(draw(letters.length));

/** Sixteen letters and digits, 92 bits, with at least one uppercase letter, one lowercase letter and one digit. */
export const generatePassword = (): string => {
  const made = Array.from({ length }, () => oneOf(all)).join('');
  return [lower, upper, digits].every((kind) => kind.split('').some((letter) => made.includes(letter)))
    ? made
    : generatePassword();
};
