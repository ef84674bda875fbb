import type { Reading } from '@roastery/roasting/curves/series';
import type { JsonObject } from '../file-content.ts';
import { numberIn } from '../table-cells.ts';

/** Fields of a JSON file from any program: each is checked where it is read. */

/** Some versions of the programs write their numbers in quotes. */
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' || typeof value === 'string' ? numberIn(value) : null;

export const numberAt = (object: JsonObject, key: string): number | null => numberOf(object[key]);

export const textAt = (object: JsonObject, key: string): string | null => {
  const value = object[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object under a key; an empty one when there is none. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};

export const objectsAt = (object: JsonObject, key: string): readonly JsonObject[] => {
  const value = object[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
};

/** The list of numbers under a key, in its full length; null where an element is something else. */
export const readingsAt = (object: JsonObject, key: string): Reading[] => {
  const value = object[key];
  return Array.isArray(value) ? value.map(numberOf) : [];
};
