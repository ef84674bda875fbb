import type { PythonValue } from '@roastery/roasting/artisan/python-literal';
import { jsonOf } from '../file-content.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { readArtisanRoast } from './artisan.ts';

/** A JSON value in the form of the `.alog` reader: objects as maps. */
const pythonValue = (value: unknown): PythonValue => {
  if (Array.isArray(value)) return value.map(pythonValue);
  if (typeof value === 'object' && value !== null) return dictionaryOf(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
};

const dictionaryOf = (object: object): Map<string, PythonValue> =>
  new Map(Object.entries(object).map(([key, value]) => [key, pythonValue(value)]));

/** The keys of a JSON export. */
export const artisanDictionary = (bytes: Uint8Array): Map<string, PythonValue> => dictionaryOf(jsonOf(bytes) ?? {});

/** Artisan's JSON export: the keys of an `.alog` file as JSON. */
export const artisanJson: RoastFileFormat = {
  format: 'artisan_json',
  recognise: (bytes) => {
    const data = jsonOf(bytes);
    return data !== undefined && Array.isArray(data['timex']) ? 'certain' : 'no';
  },
  read: (bytes, choices) => readArtisanRoast(artisanDictionary(bytes), choices),
};
