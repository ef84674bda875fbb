import { fileURLToPath } from 'node:url';
import { runnerImport, type Plugin } from 'vite';

/**
 * The portal calls an endpoint by its method and path; its schemas are only for the compiler and the api. Without this
 * plugin every page would load zod and all schemas (about 50 KB gzipped) before its first paint. An import of an
 * endpoint resolves to its outline, `{ name, method, path }`, one of a list or a text to its value; shapes that forms
 * import by name stay unchanged.
 */
export const endpointOutlines = (): Plugin => {
  const prefix = 'virtual:endpoints/';
  const outlines = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const outlinesOf = (file: string) => {
    const known = outlines.get(file) ?? readOutlines(file);
    outlines.set(file, known);
    return known;
  };

  return {
    name: 'endpoint-outlines',
    enforce: 'pre',
    watchChange(id) {
      if (id.includes('/packages/contract/src/')) outlines.clear();
    },
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      const file = id.slice(prefix.length + 1);
      this.addWatchFile(contractFile(file));
      return [...(await outlinesOf(file))].map(([name, outline]) => `export const ${name} = ${outline};`).join('\n');
    },
    async transform(code, id) {
      if (!/\/portal\/src\/.*\.tsx?$/.test(id) || !code.includes('@roastery/contract/')) return undefined;
      let result = code;
      for (const [statement, names = '', file = ''] of code.matchAll(
        /import \{([^}]*)\} from '@roastery\/contract\/([\w-]+)';/g,
      )) {
        const known = await outlinesOf(file);
        const all = names.split(',').map((name) => name.trim());
        const values = all.filter((name) => name !== '' && !name.startsWith('type '));
        const isEndpoint = (name: string) => known.has(name.split(' as ')[0] ?? name);
        const endpoints = values.filter(isEndpoint);
        const rest = values.filter((name) => !isEndpoint(name));
        const imports = [
          endpoints.length > 0 ? `import { ${endpoints.join(', ')} } from '${prefix}${file}';` : '',
          rest.length > 0 ? `import { ${rest.join(', ')} } from '@roastery/contract/${file}';` : '',
        ].join(' ');
        // Lines keep their numbers, so that positions in error messages and source maps are right.
        result = result.replace(statement, imports + '\n'.repeat(statement.split('\n').length - 1));
      }
      return { code: result, map: null };
    },
  };
};

const contractFile = (file: string): string =>
  fileURLToPath(new URL(`../../packages/contract/src/${file}.ts`, import.meta.url));

const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) || (Array.isArray(value) && value.every(isPlain));

/** Name of an export → JSON of its outline, for every export that is an endpoint or a plain value. */
const readOutlines = async (file: string): Promise<ReadonlyMap<string, string>> => {
  const { module } = await runnerImport<Record<string, unknown>>(contractFile(file), {
    resolve: { conditions: ['source'] },
  });
  const found = new Map<string, string>();
  for (const [exported, value] of Object.entries(module)) {
    if (isPlain(value)) found.set(exported, JSON.stringify(value));
    if (typeof value !== 'object' || value === null) continue;
    if (!('name' in value && 'method' in value && 'path' in value && 'access' in value)) continue;
    const { name, method, path } = value;
    found.set(exported, JSON.stringify({ name, method, path }));
  }
  return found;
};
