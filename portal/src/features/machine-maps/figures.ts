/** What was typed as a number; NaN, which no shape takes, when it is none. */
export const figure = (typed: string): number => (typed.trim() === '' ? Number.NaN : Number(typed.replace(',', '.')));

export const figureText = (value: number | undefined): string => (value === undefined ? '' : String(value));
