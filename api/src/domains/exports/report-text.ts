import { existsSync } from 'node:fs';
import type PdfWriter from 'pdfkit';
import { geist } from './report-fonts.ts';

export type Pdf = InstanceType<typeof PdfWriter>;
export type Weight = 400 | 600;

/**
 * Geist (SIL Open Font License) has one file per script. A text is written in runs, each with the first file that has
 * its characters. Chinese, Japanese and Korean use a font of the server, if it has one: those files are larger than
 * this whole program. A character without a font becomes a question mark, never an empty box.
 */
const scripts: readonly { readonly name: string; readonly holds: RegExp }[] = [
  {
    name: 'latin',
    holds: /[\u0020-\u00ff\u0131\u0152\u0153\u02c6\u02da\u02dc\u2010-\u2026\u2030-\u203a\u20ac\u2122\u2212]/,
  },
  { name: 'latin-ext', holds: /[\u0100-\u02af\u1e00-\u1e9f\u20a0-\u20ab\u20ad-\u20bf]/ },
  { name: 'vietnamese', holds: /[\u1ea0-\u1eff]/ },
  { name: 'cyrillic', holds: /[\u0400-\u045f\u0490\u0491\u2116]/ },
  { name: 'cyrillic-ext', holds: /[\u0460-\u052f]/ },
];

const eastAsian = /[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9f]/;

interface FontFile {
  readonly file: string;
  /** The face of a font collection. */
  readonly face?: string;
}

/** Paths of a font with all of these scripts on Debian, Fedora, Arch, macOS and Windows. */
const eastAsianFonts: readonly FontFile[] = [
  { file: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc', face: 'NotoSansCJKjp-Regular' },
  { file: '/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc', face: 'NotoSansCJKjp-Regular' },
  { file: '/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc', face: 'NotoSansCJKjp-Regular' },
  { file: '/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf' },
  { file: '/Library/Fonts/Arial Unicode.ttf' },
  { file: '/System/Library/Fonts/Supplemental/Arial Unicode.ttf' },
  { file: 'C:\\Windows\\Fonts\\arialuni.ttf' },
];

/** The server's font for Chinese, Japanese and Korean; undefined where none is installed. */
export const eastAsianFont: FontFile | undefined = eastAsianFonts.find(({ file }) => existsSync(file));
const eastAsianName = 'east-asian';

interface Run {
  readonly font: string;
  readonly text: string;
}

const runsOf = (text: string, weight: Weight): Run[] => {
  const runs: { font: string; text: string }[] = [];
  for (const character of text.normalize('NFC')) {
    const script = scripts.find(({ holds }) => holds.test(character));
    const isEastAsian = eastAsianFont !== undefined && script === undefined && eastAsian.test(character);
    const font = isEastAsian ? eastAsianName : `${script?.name ?? 'latin'}-${weight}`;
    const shown = script === undefined && !isEastAsian ? '?' : character;
    const last = runs.at(-1);
    if (last?.font === font) last.text += shown;
    else runs.push({ font, text: shown });
  }
  return runs;
};

export interface TextStyle {
  readonly size: number;
  readonly weight?: Weight;
  readonly color?: string;
  readonly align?: 'left' | 'right' | 'center';
  /** Longer texts end in an ellipsis. */
  readonly width?: number;
}

export interface ReportText {
  /** Writes one line with its top at `y`. */
  line(text: string, x: number, y: number, style: TextStyle): void;
  width(text: string, style: Pick<TextStyle, 'size' | 'weight'>): number;
  /** The lines of a longer text. */
  wrap(text: string, width: number, style: Pick<TextStyle, 'size' | 'weight'>): string[];
}

export const reportText = (pdf: Pdf): ReportText => {
  const registered = new Set<string>();
  const use = (font: string, size: number): void => {
    if (!registered.has(font)) {
      const [, script = 'latin', weight] = /^(.*)-(\d+)$/.exec(font) ?? [];
      if (font === eastAsianName && eastAsianFont) pdf.registerFont(font, eastAsianFont.file, eastAsianFont.face);
      else pdf.registerFont(font, geist(script, weight === '600' ? 600 : 400));
      registered.add(font);
    }
    pdf.font(font).fontSize(size);
  };
  const widthOfRuns = (runs: readonly Run[], size: number): number => {
    let width = 0;
    for (const run of runs) {
      use(run.font, size);
      width += pdf.widthOfString(run.text);
    }
    return width;
  };
  const width: ReportText['width'] = (text, { size, weight = 400 }) => widthOfRuns(runsOf(text, weight), size);
  const shortened = (text: string, style: TextStyle): string => {
    const most = style.width;
    if (most === undefined || width(text, style) <= most) return text;
    const characters = Array.from(text);
    while (characters.length > 0 && width(`${characters.join('')}…`, style) > most) characters.pop();
    return `${characters.join('').trimEnd()}…`;
  };
  return {
    width,
    line(text, x, y, style) {
      const { size, weight = 400, color = '#1c1917', align = 'left' } = style;
      const runs = runsOf(shortened(text, style), weight);
      const total = widthOfRuns(runs, size);
      const room = style.width ?? 0;
      let at = align === 'left' ? x : align === 'right' ? x + room - total : x + (room - total) / 2;
      for (const run of runs) {
        use(run.font, size);
        pdf.fillColor(color).text(run.text, at, y, { lineBreak: false });
        at += pdf.widthOfString(run.text);
      }
    },
    wrap(text, most, style) {
      return text.split(/\r?\n/).flatMap((paragraph) => {
        const lines: string[] = [];
        let line = '';
        // A word that is wider than the page breaks at any character.
        const words = paragraph.split(/\s+/).flatMap((word) => word.match(/.{1,60}/gu) ?? []);
        for (const word of words) {
          const longer = line === '' ? word : `${line} ${word}`;
          if (line !== '' && width(longer, style) > most) {
            lines.push(line);
            line = word;
          } else line = longer;
        }
        return [...lines, line];
      });
    },
  };
};
