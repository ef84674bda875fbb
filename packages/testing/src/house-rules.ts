import type { SourceFile } from './source-files.ts';
import { isTestFile } from './source-files.ts';

/** What each workspace may import of the others, as ARCHITECTURE.md draws it. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'packages/roasting': [],
  'packages/contract': ['packages/roasting'],
  'packages/runtime': [],
  'packages/simulator': ['packages/contract', 'packages/roasting', 'packages/runtime'],
  'packages/stack': ['packages/contract', 'packages/roasting', 'packages/runtime', 'packages/simulator'],
  broker: ['packages/contract', 'packages/roasting', 'packages/runtime'],
  api: ['packages/contract', 'packages/roasting', 'packages/runtime'],
  'device-agent': ['packages/contract', 'packages/roasting', 'packages/runtime'],
  portal: ['packages/contract', 'packages/roasting'],
};

/**
 * Folders of an app from the lowest to the highest: a file may import its own folder and those of the layers before it.
 * Files beside the folders compose them and are free, unless a layer names them.
 */
const LAYERS: Record<string, readonly (readonly string[])[]> = {
  'api/src': [
    ['format'],
    ['db'],
    ['broker', 'http', 'mail', 'sheets'],
    ['file-reading', 'identity', 'ledger'],
    ['context.ts'],
    ['domains'],
    ['ingest'],
    ['alarms', 'live'],
  ],
  'portal/src': [['language'], ['api', 'ui'], ['format'], ['components'], ['features'], ['app']],
  'device-agent/src': [
    ['core'],
    ['artisan', 'clock', 'journal', 'machine', 'pairing', 'plan', 'service', 'update'],
    ['uplink', 'status-page', 'probe'],
    ['doctor'],
    ['support'],
    ['cli'],
    ['packaging'],
  ],
};

/** The pure core: it may not touch files, sockets, clocks of the system or any package but these. */
const PURE: Record<string, readonly string[]> = {
  'packages/roasting': [],
  'packages/contract': ['zod'],
};

/** Where one domain of the api needs another, it is said here. */
const DOMAIN_IMPORTS: Record<string, readonly string[]> = {
  // A machine may be registered with its map; the fleet view shows what became of it.
  machines: ['machine-maps'],
  devices: ['machine-maps'],
  // Who may see a roast, and its curve.
  analytics: ['roasts'],
  // Uploads, exports, plans and blends are made of roasts. A list of lots becomes an inventory.
  imports: ['inventory', 'planned', 'roasts'],
  members: ['roasts'],
  exports: ['roasts'],
  // A charge takes the plan that waits for it.
  roasts: ['planned'],
  // A timeline shows and makes roasts.
  timeline: ['roasts'],
  blends: ['roasts'],
  // A running roast with its plan and its reference.
  wall: ['roasts', 'planned'],
};

const workspaceOf = (file: string) => /^(?:packages\/[^/]+|[^/]+)/.exec(file)?.[0] ?? '';

/** `from → to` of every import between workspaces that the house does not allow. */
export function forbiddenWorkspaceImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const [home, other] = [workspaceOf(from), workspaceOf(to)];
    if (home === other || !(other in MAY_IMPORT || other === 'packages/testing')) return false;
    return !(MAY_IMPORT[home] ?? []).includes(other);
  });
}

/** `from → to` of every import of something that is there for tests alone. */
export function importsOfTests(files: readonly SourceFile[]): string[] {
  return eachImport(files, (_from, to) => isTestFile(to));
}

/** `from → to` of every import that goes up or across within an app. */
export function upwardImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const [low, high] = [placeInLayers(from), placeInLayers(to)];
    if (low === undefined || high === undefined || low.root !== high.root) return false;
    return high.layer > low.layer || (high.layer === low.layer && high.folder !== low.folder);
  });
}

/** Folders of a layered app that no layer names: a new one needs its place. */
export function foldersWithoutLayer(files: readonly SourceFile[]): string[] {
  const places = files.filter(({ path }) => !isTestFile(path)).map(({ path }) => placeInLayers(path));
  return [...new Set(places.flatMap((place) => (place?.layer === -1 ? [`${place.root}/${place.folder}`] : [])))];
}

function placeInLayers(file: string): { root: string; folder: string; layer: number } | undefined {
  const root = Object.keys(LAYERS).find((candidate) => file.startsWith(`${candidate}/`));
  if (root === undefined) return undefined;
  const beside = file.slice(root.length + 1);
  const folder = folderBelow(file, root) ?? (LAYERS[root]?.flat().includes(beside) ? beside : undefined);
  if (folder === undefined) return undefined;
  return { root, folder, layer: (LAYERS[root] ?? []).findIndex((layer) => layer.includes(folder)) };
}

/** The folder directly below `root` that a file is in; `undefined` for a file beside the folders. */
function folderBelow(file: string, root: string): string | undefined {
  return file.startsWith(`${root}/`) ? /^[^/]+(?=\/)/.exec(file.slice(root.length + 1))?.[0] : undefined;
}

/** `from → to` of every import between sibling features of the portal, and undeclared ones between domains of the api. */
export function sidewaysImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const feature = siblings(from, to, 'portal/src/features');
    if (feature !== undefined) return true;
    const domain = siblings(from, to, 'api/src/domains');
    return domain !== undefined && !(DOMAIN_IMPORTS[domain[0]] ?? []).includes(domain[1]);
  });
}

function siblings(from: string, to: string, root: string): [string, string] | undefined {
  const [one, other] = [folderBelow(from, root), folderBelow(to, root)];
  return one === undefined || other === undefined || one === other ? undefined : [one, other];
}

/** `from → package` of everything the pure places import from outside. */
export function impureImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const allowed = PURE[workspaceOf(from)];
    return allowed !== undefined && workspaceOf(to) !== 'packages' && !to.includes('/src/') && !allowed.includes(to);
  });
}

/** Circles of imports, each as the files on it. Imports of types alone count too: they tie files together all the same. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: SourceFile) => {
    state.set(file.path, 'open');
    trail.push(file.path);
    for (const { target } of file.imports) {
      const next = byPath.get(target);
      if (next === undefined || state.get(target) === 'done') continue;
      if (state.get(target) === 'open') cycles.push([...trail.slice(trail.indexOf(target)), target]);
      else visit(next);
    }
    trail.pop();
    state.set(file.path, 'done');
  };
  for (const file of files) if (!state.has(file.path)) visit(file);
  return cycles;
}

/** Circles between domains of the api, by the imports that their files have. */
export function domainCycles(files: readonly SourceFile[]): string[][] {
  const root = 'api/src/domains';
  const folders = new Map<string, SourceFile['imports'][number][]>();
  for (const { path, imports } of files) {
    const folder = isTestFile(path) ? undefined : folderBelow(path, root);
    if (folder === undefined) continue;
    const others = imports.flatMap(({ target, typeOnly }) => {
      const other = folderBelow(target, root);
      return other === undefined || other === folder ? [] : [{ target: other, typeOnly }];
    });
    folders.set(folder, [...(folders.get(folder) ?? []), ...others]);
  }
  return importCycles(Array.from(folders, ([path, imports]) => ({ path, imports, lines: 0, text: '' })));
}

/** The one module that calls zod, and the one that reads a program's own environment below the contract. */
const MAY_PARSE: readonly string[] = ['packages/contract/src/parse-shape.ts', 'packages/runtime/src/env.ts'];
const OWN_PARSE = /(?<!\b(?:JSON|Date|path))\??\.(?:parse|safeParse|safeDecode|safeEncode)(?:Async)?\(/g;

/** Where a zod shape is asked directly: its checks throw on hostile values, which `parseShape` turns into a refusal. */
export function directParses(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTestFile(path) && !MAY_PARSE.includes(path))
    .flatMap(({ path, text }) => placesOf(path, text, OWN_PARSE));
}

/** The modules that own the locale, and the tests of what they write. */
const MAY_FORMAT = /^(?:portal\/src\/(?:format|language)|api\/src\/format)\//;
const OWN_FORMAT = /\.toLocale\w*String\(|\.toFixed\(|\bIntl\.[A-Z]\w*\(|['"`]en-(?:US|CA)['"`]/g;

/** Where portal or api write a number or a date for people by themselves. */
export function strayFormats(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^(?:portal|api)\/src\//.test(path) && !isTestFile(path) && !MAY_FORMAT.test(path))
    .flatMap(({ path, text }) => placesOf(path, text, OWN_FORMAT));
}

/** A unit or a kind of input that only a person's own choice decides. */
const FIXED_UNIT =
  /`[^`\n]*(?<!\w)kg(?![\w-])[^`\n]*`|unit="(?:kg|\$)"|>\s*kg\s*<|\btype="(?:date|datetime-local|time|number)"/g;

/** The text without comments and without what stands in the places of templates. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^[ \t]*(?:\/?\*|\/\/).*$/gm, '').replaceAll(/\$\{[^{}\n]*\}/g, '${}');

/** Where a page of the portal names kg or dollars, or lets the browser decide how a number or a day is written. */
export function fixedUnits(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('portal/src/') && !isTestFile(path) && !MAY_FORMAT.test(path))
    .flatMap(({ path, text }) => placesOf(path, withoutCode(text), FIXED_UNIT));
}

const VAGUE = /(?:^|[/.-])(?:utils?|helpers?|common|manager|misc)(?:[/.-]|$)/i;

/** Files and folders whose name says nothing about what is in them. */
export function vagueNames(files: readonly SourceFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => VAGUE.test(path));
}

/** Files that only re-export others. */
export function barrels(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => /\/index\.tsx?$/.test(path)).map(({ path }) => path);
}

const NO_STANDARD_TERM =
  /\b(?:some|no)body\b|\bmean(?:while)\b|\b(?:is|are) (?:told)\b|\bput (?:down)\b|\btaken (?:in)\b|\blooked (?:at)\b/gi;

/** Lines with words that plain technical English has a standard term for. Texts of the product document keep theirs. */
export function wordsWithoutStandardTerm(files: readonly SourceFile[]): string[] {
  return [...new Set(files.flatMap(({ path, text }) => placesOf(path, text, NO_STANDARD_TERM)))];
}

/** Files of less than 30 lines that are no tests: most of them belong where they are used. */
export function smallFiles(files: readonly SourceFile[]): string[] {
  return files.filter(({ path, lines }) => lines < 30 && !isTestFile(path)).map(({ path }) => path);
}

const CAST = /(?<!^\s*(?:import|export|\/\/|\/?\*)[^\n]*)\bas (?!const\b)[A-Z{[][\w.<>[\]{} |]*/gm;

/** Type casts outside of tests. They belong where data enters, and nowhere else. */
export function casts(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !isTestFile(path)).flatMap(({ path, text }) => placesOf(path, text, CAST));
}

const READ_ONCE =
  /\bexpect\(\s*\(*(?:await|new URL\(\w*\.?page\.url)\b(?:(?!\bexpect\b|\.call\()[^;])*?\.(?:innerText|allInnerTexts|textContent|allTextContents|inputValue|count|isVisible|isHidden|isEnabled|isDisabled|isChecked|getAttribute|boundingBox|url)\(/g;

/** Where a browser test looks at a page once: what it wants to see may be on its way, so it has to look again. */
export function looksOnce(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('portal/e2e/'))
    .flatMap(({ path, text }) => placesOf(path, text, READ_ONCE));
}

/** `path:line` of every match. */
function placesOf(path: string, text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ({ index }) => `${path}:${text.slice(0, index).split('\n').length}`);
}

function eachImport(files: readonly SourceFile[], isWrong: (from: string, to: string) => boolean): string[] {
  return files
    .filter(({ path }) => !isTestFile(path))
    .flatMap(({ path, imports }) =>
      imports.filter(({ target }) => isWrong(path, target)).map(({ target }) => `${path} → ${target}`),
    );
}
