import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { here, read } from './program-files.ts';

/** The common fields of all kinds of Kubernetes objects; the rest is unparsed. */
const objectShape = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.record(z.string(), z.unknown()),
});
export type KubernetesObject = z.infer<typeof objectShape>;

export interface ChartInput {
  readonly Values: unknown;
  readonly Release: { readonly Name: string };
}

/** `.Values.api.replicas` in the input. @throws when there is none: Helm would write an empty text. */
const valueAt = (input: ChartInput, reference: string): string | number | boolean => {
  let value: unknown = input;
  for (const key of reference.split('.').slice(1))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw new Error(`${reference} is not a value`);
  return value;
};

/**
 * Renders a template of the chart like Helm. It supports the constructs that the chart uses: values, `quote`, and
 * `if`, `not`, `else`, `end` on their own lines.
 * @throws on anything else
 */
export const renderTemplate = (text: string, input: ChartInput): string => {
  const open: boolean[] = [];
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const directive = /^\{\{- (if|else|end)(?: (not )?(\.[\w.]+))? \}\}$/.exec(line);
    if (directive === null) {
      if (open.includes(false)) continue;
      const filled = line.replaceAll(/\{\{ (\.[\w.]+)( \| quote)? \}\}/g, (_, reference: string, quote?: string) => {
        const value = valueAt(input, reference);
        return quote === undefined ? String(value) : JSON.stringify(String(value));
      });
      if (filled.includes('{{')) throw new Error(`not known: ${line}`);
      lines.push(filled);
      continue;
    }
    const [, word, not, reference = ''] = directive;
    if (word === 'if') open.push(Boolean(valueAt(input, reference)) !== (not !== undefined));
    else if (word === 'else') open.push(open.pop() !== true);
    else open.pop();
  }
  if (open.length > 0) throw new Error('an if without its end');
  return lines.join('\n');
};

export const defaultValues = (): Record<string, unknown> =>
  parseOrThrow(z.record(z.string(), z.unknown()), parse(read('helm', 'values.yaml')));

/** The objects that `helm template roastery deploy/helm` would print. */
export const renderChart = (values: unknown): KubernetesObject[] =>
  readdirSync(path.join(here, 'helm', 'templates')).flatMap((file) => {
    const text = renderTemplate(read('helm', 'templates', file), { Values: values, Release: { Name: 'roastery' } });
    return parseAllDocuments(text).flatMap((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('; ')}`);
      const value: unknown = document.toJS();
      return value === null ? [] : [parseOrThrow(objectShape, value)];
    });
  });
