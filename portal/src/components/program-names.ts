import type { UploadFormat } from '@roastery/contract/imports';
import { t } from '../language/t.ts';

/** The program that wrote a file. */
export const formatNames: Record<UploadFormat, string> = {
  alog: 'Artisan',
  artisan_json: 'Artisan (JSON)',
  csv: 'CSV',
  xlsx: t`Workbook`,
  cropster: 'Cropster',
  roastime: 'RoasTime',
  kaleido: 'Kaleido',
  stronghold: 'Stronghold',
  loring: 'Loring',
  giesen: 'Giesen',
  ikawa: 'IKAWA',
  roest: 'Roest',
  rubasse: 'Rubasse',
  petroncini: 'Petroncini',
  kaffelogic: 'Kaffelogic',
  hibean: 'HiBean',
};

/** Tables of any program: their unit of time may have to be chosen. */
export const isPlainTable = (format: UploadFormat): boolean => format === 'csv' || format === 'xlsx';
