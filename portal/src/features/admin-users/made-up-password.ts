/** Without letters and digits that are mistaken for one another when read aloud or copied from paper. */
const lower = 'abcdefghjkmnpqrstuvwxyz';
const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const digits = '23456789';
const all = lower + upper + digits;
const length = 16;

/** An even draw of 0 … below - 1: a remainder would favour the first ones. */
const draw = (below: number): number => {
  const limit = 256 - (256 % below);
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
  return byte < limit ? byte % below : draw(below);
};
const oneOf = (letters: string): string => letters.charAt(draw(letters.length));

/** Sixteen letters and digits, 92 bits, with an uppercase letter, a lowercase one and a number among them. */
export const madeUpPassword = (): string => {
  const made = Array.from({ length }, () => oneOf(all)).join('');
  return [lower, upper, digits].every((kind) => kind.split('').some((letter) => made.includes(letter)))
    ? made
    : madeUpPassword();
};
