import { colourToken } from '../../ui/theme.ts';

/** An oklch() token with an alpha, for fills on a canvas. */
export const withAlpha = (colour: string, alpha: number): string => colour.replace(/\)$/, ` / ${alpha})`);

/** Value of a colour token by its name, `curve-bean`. */
export type ColourOf = (token: string) => string;

/** The colours that all charts draw with, read from the tokens of the theme on screen. */
export const readPalette = (colourOf: ColourOf = colourToken) => ({
  strong: colourOf('strong'),
  content: colourOf('content'),
  muted: colourOf('muted'),
  faint: colourOf('faint'),
  stroke: colourOf('stroke'),
  surface: colourOf('surface'),
  strokeStrong: colourOf('stroke-strong'),
  accent: colourOf('accent'),
  mono: "'Geist Mono Variable', ui-monospace, monospace",
});
export type Palette = ReturnType<typeof readPalette>;
