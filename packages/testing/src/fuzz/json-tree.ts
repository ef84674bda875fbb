import { hostileJson, largeJson, ownNames } from './hostile-values.ts';
import type { SeededRandom } from './seeded-random.ts';

/** JSON before it is written, so that text which JSON.stringify would never write can be anywhere in it. */
export type JsonTree = { text: string } | { items: JsonTree[] } | { fields: [name: string, value: JsonTree][] };

export const leaf = (value: unknown): JsonTree => ({ text: JSON.stringify(value) });

export const writeTree = (tree: JsonTree): string => {
  if ('text' in tree) return tree.text;
  if ('items' in tree) return `[${tree.items.map(writeTree).join(',')}]`;
  return `{${tree.fields.map(([name, value]) => `${JSON.stringify(name)}:${writeTree(value)}`).join(',')}}`;
};

/** Every position of a tree, as a function that replaces its value. */
const placesIn = (tree: JsonTree): ((value: JsonTree) => void)[] => {
  if ('text' in tree) return [];
  const children: [JsonTree, (value: JsonTree) => void][] =
    'items' in tree
      ? tree.items.map((item, at) => [item, (value) => void (tree.items[at] = value)])
      : tree.fields.map((field) => [field[1], (value) => void (field[1] = value)]);
  return children.flatMap(([child, put]) => [put, ...placesIn(child)]);
};

const objectsIn = (tree: JsonTree): Extract<JsonTree, { fields: unknown }>[] => {
  if ('text' in tree) return [];
  if ('items' in tree) return tree.items.flatMap(objectsIn);
  return [tree, ...tree.fields.flatMap(([, value]) => objectsIn(value))];
};

const listsIn = (tree: JsonTree): Extract<JsonTree, { items: unknown }>[] => {
  if ('text' in tree) return [];
  if ('fields' in tree) return tree.fields.flatMap(([, value]) => listsIn(value));
  return [tree, ...tree.items.flatMap(listsIn)];
};

const hostileLeaf = (random: SeededRandom): JsonTree => ({
  text: random.pick(random.once(60) ? largeJson : hostileJson),
});

/** The api accepts bodies of up to 1 MB; a longer one tests nothing new. */
const longestBody = 1_000_000;

/** One change: another value, an additional, missing or repeated field, a list that is far too long. */
export const mutate = (tree: JsonTree, random: SeededRandom): JsonTree => {
  const kind = random.below(10);
  if (kind === 0) {
    const fields = random.pick(objectsIn(tree))?.fields;
    fields?.push([random.pick(ownNames), hostileLeaf(random)]);
    return tree;
  }
  if (kind === 1) {
    const fields = random.pick(objectsIn(tree))?.fields;
    if (random.once(2)) fields?.splice(random.below(fields.length + 1), 1);
    else if (fields?.[0] !== undefined)
      fields.push([fields[random.below(fields.length)]?.[0] ?? '', hostileLeaf(random)]);
    return tree;
  }
  if (kind === 2) {
    const list = random.pick(listsIn(tree));
    const [item] = list?.items ?? [];
    if (list !== undefined && item !== undefined) {
      const most = Math.floor(longestBody / (writeTree(item).length + 1));
      const length = Math.min(most, random.pick([2, 100, 501, 1801, random.once(20) ? 20_000 : 5]));
      // Text, not the same tree many times: a later change must not change all of them.
      const text = writeTree(item);
      list.items = Array.from({ length }, () => ({ text }));
    }
    return tree;
  }
  const put = random.pick(placesIn(tree));
  if (put === undefined || random.once(25)) return hostileLeaf(random);
  put(hostileLeaf(random));
  return tree;
};
