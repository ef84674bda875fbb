import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { expect, it } from 'vitest';
import { textKey } from './t.ts';

/** A node of a syntax tree, with the fields that are read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

const sources = new URL('../', import.meta.url);
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\./.test(file),
);
const shownAttributes = new Set([
  'label',
  'title',
  'text',
  'hint',
  'placeholder',
  'aria-label',
  'subtitle',
  'heading',
  'description',
  'confirmLabel',
]);
/** Names of keys, units and the product, which every language writes in the same way. */
const isWord = (text: string): boolean =>
  /\p{L}{2}/u.test(text) && !/^[\s\d·&#;]*(?:kg|min|rev|°[CF]|CSV|Esc)$/.test(text.trim());

const texts = new Set<string>();
const bare: string[] = [];

const visit = (node: Node, file: string, code: string, isCode: boolean): void => {
  const report = () => bare.push(`${file}:${code.slice(0, node.start).split('\n').length}`);
  const { tag, quasi, name, value, openingElement } = node as {
    tag?: Node;
    quasi?: Node;
    name?: unknown;
    value?: unknown;
    openingElement?: Node;
  } & Node;
  if (node.type === 'TaggedTemplateExpression' && tag?.['name'] === 't') {
    const quasis = (quasi?.['quasis'] ?? []) as { value: { cooked: string } }[];
    texts.add(textKey(quasis.map((part) => part.value.cooked)));
  }
  if (node.type === 'JSXText' && !isCode && isWord(String(value))) report();
  if (node.type === 'JSXAttribute' && isNode(name) && isNode(value) && shownAttributes.has(String(name['name']))) {
    if (value.type === 'Literal' && isWord(String(value['value']))) report();
  }
  const element =
    isNode(openingElement) && isNode(openingElement['name']) ? String(openingElement['name']['name']) : '';
  const below = isCode || /^(?:code|Kbd|kbd)$/.test(element);
  for (const part of partsOf(node)) visit(part, file, code, below);
};
for (const file of files) {
  const code = readFileSync(new URL(file, sources), 'utf8');
  visit(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node, file, code, false);
}

it('portal: passes every text on a screen through t', () => expect(bare).toEqual([]));

it('portal: has its texts in one list for translators', () => {
  expect(texts.size).toBeGreaterThan(1000);
  const list = process.env['TEXTS_FILE'];
  if (list !== undefined) writeFileSync(list, JSON.stringify([...texts].sort(), null, 2));
  expect([...texts].filter((text) => /\{\d+\}/.test(text) && !/\p{L}/u.test(text.replaceAll(/\{\d+\}/g, '')))).toEqual(
    [],
  );
});
