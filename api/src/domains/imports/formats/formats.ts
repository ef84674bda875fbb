import type { RoastFileFormat } from '../roast-file-format.ts';
import { artisanJson } from './artisan-json.ts';
import { artisan } from './artisan.ts';
import { cropster } from './cropster.ts';
import { csv } from './csv.ts';
import { giesen } from './giesen.ts';
import { hibean } from './hibean.ts';
import { ikawa } from './ikawa.ts';
import { kaffelogic } from './kaffelogic.ts';
import { kaleido } from './kaleido.ts';
import { loring } from './loring.ts';
import { petroncini } from './petroncini.ts';
import { roastimeTable } from './roastime-table.ts';
import { roastime } from './roastime.ts';
import { roest } from './roest.ts';
import { rubasse } from './rubasse.ts';
import { stronghold } from './stronghold.ts';
import { workbook } from './workbook.ts';

/** Every supported program; the general formats, which are never certain, at the end. */
export const roastFileFormats: readonly RoastFileFormat[] = [
  artisanJson,
  roastime,
  hibean,
  artisan,
  kaleido,
  kaffelogic,
  roastimeTable,
  roest,
  giesen,
  loring,
  ikawa,
  petroncini,
  rubasse,
  cropster,
  stronghold,
  workbook,
  csv,
];

/** Recognises the format of a file by its content, so that a renamed file is still recognised. */
export const recogniseFormat = async (bytes: Uint8Array): Promise<RoastFileFormat | undefined> => {
  let possible: RoastFileFormat | undefined;
  for (const format of roastFileFormats) {
    const recognition = await format.recognise(bytes);
    if (recognition === 'certain') return format;
    if (recognition === 'possible') possible ??= format;
  }
  return possible;
};
