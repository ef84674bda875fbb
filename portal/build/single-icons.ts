import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const barrel = fileURLToPath(import.meta.resolve('lucide-react')).replace(/[^/]+\/[^/]+$/, 'esm/lucide-react.mjs');

/** File of each icon by its names. */
const readFiles = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const [, names = '', file = ''] of readFileSync(barrel, 'utf8').matchAll(
    /export \{([^}]*)\} from '\.\/icons\/([\w-]+)\.mjs';/g,
  ))
    for (const [, name = ''] of names.matchAll(/default as (\w+)/g)) files.set(name, file);
  return files;
};

/**
 * Imports each icon from its own file. Through the library's index every module that has an icon reaches all of them, so that
 * the first page would load those of every page (about 7 KB gzipped).
 */
export const singleIcons = (): Plugin => {
  let files: ReadonlyMap<string, string> = new Map();
  return {
    name: 'single-icons',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      files = readFiles();
    },
    transform(code, id) {
      if (!/\/portal\/src\/.*\.tsx?$/.test(id) || !code.includes("from 'lucide-react'")) return undefined;
      const result = code.replaceAll(/import \{([^}]*)\} from 'lucide-react';/g, (statement, names: string) => {
        const icons = names.split(',').map((name) => name.trim());
        const imports = icons
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name) => {
            const [icon = '', own = icon] = name.split(' as ');
            const file = files.get(icon);
            if (file === undefined) throw new Error(`${id}: the icons have no ${icon}`);
            return `import ${own} from 'lucide-react/icons/${file}';`;
          });
        // Lines keep their numbers, so that positions in error messages and source maps are right.
        return imports.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
      });
      return { code: result, map: null };
    },
  };
};
