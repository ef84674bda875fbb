import { colourToken } from '../../ui/theme.ts';

/** An oklch() token with an alpha, for fills on a canvas. */
export const withAlpha = (colour: string, alpha: number): string => colour.replace(/\)$/, ` / ${alpha})`);

/** The colours that all charts draw with, read from the tokens of the theme on screen. */
export const readPalette = () => ({
  strong: colourToken('strong'),
  content: colourToken('content'),
  muted: colourToken('muted'),
  faint: colourToken('faint'),
  stroke: colourToken('stroke'),
  surface: colourToken('surface'),
  strokeStrong: colourToken('stroke-strong'),
  accent: colourToken('accent'),
  mono: "'Geist Mono Variable', ui-monospace, monospace",
});
export type Palette = ReturnType<typeof readPalette>;
