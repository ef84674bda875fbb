import type { SourceFile } from './source-files.ts';
import { isTestFile } from './source-files.ts';

/** Allowed imports between workspaces, as in ARCHITECTURE.md. */
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
    ['recordings'],
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

/** The pure core: it must not use files, sockets, system clocks or any package but these. */
const PURE: Record<string, readonly string[]> = {
  'packages/roasting': [],
  'packages/contract': ['zod'],
};

/** Allowed dependencies between domains of the api. */
const DOMAIN_IMPORTS: Record<string, readonly string[]> = {
  // A machine can be registered with its map, and shows its drift; the fleet view shows the state of the map.
  machines: ['analytics', 'machine-maps'],
  devices: ['machine-maps'],
  // Which revisions had channels exchanged; the marks of roasts follow in the background, as imports do.
  'channel-exchanges': ['imports', 'machine-maps', 'roasts'],
  // Who may see a roast, and its curve.
  analytics: ['roasts'],
  // Uploads, exports, plans and blends consist of roasts. A list of lots becomes an inventory.
  imports: ['inventory', 'planned', 'roasts'],
  members: ['roasts'],
  exports: ['roasts'],
  // The figures of analytics and what runs out, made a file.
  summaries: ['analytics', 'exports', 'inventory'],
  // A charge takes the first waiting plan.
  roasts: ['planned'],
  // A timeline shows and creates roasts.
  timeline: ['roasts'],
  blends: ['roasts'],
  // A running roast with its plan and its reference.
  wall: ['roasts', 'planned'],
};

const workspaceOf = (file: string) => /^(?:packages\/[^/]+|[^/]+)/.exec(file)?.[0] ?? '';

/** `from → to` of every forbidden import between workspaces. */
export function forbiddenWorkspaceImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const [home, other] = [workspaceOf(from), workspaceOf(to)];
    if (home === other || !(other in MAY_IMPORT || other === 'packages/testing')) return false;
    return !(MAY_IMPORT[home] ?? []).includes(other);
  });
}

/** `from → to` of every import of the lab by another place, tests included. */
export function importsOfTheLab(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => workspaceOf(path) !== 'packages/lab')
    .flatMap(({ path, imports }) =>
      imports.filter(({ target }) => workspaceOf(target) === 'packages/lab').map(({ target }) => `${path} → ${target}`),
    );
}

/** `from → to` of every import of a file that only tests may use. */
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

/** Folders of a layered app without a layer: a new one must be added. */
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

/** `from → package` of every outside import of the pure places. */
export function impureImports(files: readonly SourceFile[]): string[] {
  return eachImport(files, (from, to) => {
    const allowed = PURE[workspaceOf(from)];
    return allowed !== undefined && workspaceOf(to) !== 'packages' && !to.includes('/src/') && !allowed.includes(to);
  });
}

/** Cycles of imports, each as its files. Type-only imports count too: they also couple files. */
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

/** Cycles between domains of the api, by the imports of their files. */
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

/** What takes files apart. Only the file readers load it: each file is read in a process of its own, and the api starts faster. */
const PARSERS: readonly string[] = ['api/src/domains/imports/file-content.ts', 'api/src/sheets/read-workbook.ts'];
const PROGRAMS_OF_THE_API: readonly string[] = ['api/src/main.ts', 'api/src/import-program.ts'];

/** Parsers of files that a program of the api loads. */
export function parsersInTheApi(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set(PROGRAMS_OF_THE_API);
  for (const path of reached) {
    for (const { target, typeOnly } of byPath.get(path)?.imports ?? []) if (!typeOnly) reached.add(target);
  }
  return PARSERS.filter((parser) => reached.has(parser));
}

/** The one module that calls zod, and the one that reads a program's own environment below the contract. */
const MAY_PARSE: readonly string[] = ['packages/contract/src/parse-shape.ts', 'packages/runtime/src/env.ts'];
const OWN_PARSE = /(?<!\b(?:JSON|Date|path))\??\.(?:parse|safeParse|safeDecode|safeEncode)(?:Async)?\(/g;

/** Direct use of a zod shape: its checks throw on hostile values, which `parseShape` turns into a refusal. */
export function directParses(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTestFile(path) && !MAY_PARSE.includes(path))
    .flatMap(({ path, text }) => placesOf(path, text, OWN_PARSE));
}

/** The modules that own the locale, and their tests. */
const MAY_FORMAT = /^(?:portal\/src\/(?:format|language)|api\/src\/format)\//;
const OWN_FORMAT = /\.toLocale\w*String\(|\.toFixed\(|\bIntl\.[A-Z]\w*\(|['"`]en-(?:US|CA)['"`]/g;

/** Places where portal or api format a number or a date themselves. */
export function strayFormats(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^(?:portal|api)\/src\//.test(path) && !isTestFile(path) && !MAY_FORMAT.test(path))
    .flatMap(({ path, text }) => placesOf(path, text, OWN_FORMAT));
}

/** A unit or a kind of input that only a person's own choice decides. */
const FIXED_UNIT =
  /`[^`\n]*(?<!\w)kg(?![\w-])[^`\n]*`|unit="(?:kg|\$)"|>\s*kg\s*<|\btype="(?:date|datetime-local|time|number)"/g;

/** The text without comments and without the values of templates. */
const withoutCode = (text: string): string =>
  text.replaceAll(/^[ \t]*(?:\/?\*|\/\/).*$/gm, '').replaceAll(/\$\{[^{}\n]*\}/g, '${}');

/**
 * Places where a page of the portal names kg or dollars, or lets the browser decide the format of a number or a day.
 */
export function fixedUnits(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('portal/src/') && !isTestFile(path) && !MAY_FORMAT.test(path))
    .flatMap(({ path, text }) => placesOf(path, withoutCode(text), FIXED_UNIT));
}

const VAGUE = /(?:^|[/.-])(?:utils?|helpers?|common|manager|misc)(?:[/.-]|$)/i;

/** Files and folders whose name does not describe their content. */
export function vagueNames(files: readonly SourceFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => VAGUE.test(path));
}

/** Files that only re-export others. */
export function barrels(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => /\/index\.tsx?$/.test(path)).map(({ path }) => path);
}

const NO_STANDARD_TERM =
  /\b(?:some|no)body\b|\bmean(?:while)\b|\b(?:is|are) (?:told)\b|\bput (?:down)\b|\btaken (?:in)\b|\blooked (?:at)\b/gi;

/**
 * Lines with words that plain technical English has a standard term for. Texts of the product document keep theirs.
 */
export function wordsWithoutStandardTerm(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      const words = line.match(NO_STANDARD_TERM);
      return words ? [`${path}:${at + 1} ${words.join(', ')}`] : [];
    }),
  );
}

/** Files of less than 30 lines that are not tests: most of them belong where they are used. */
export function smallFiles(files: readonly SourceFile[]): string[] {
  return files.filter(({ path, lines }) => lines < 30 && !isTestFile(path)).map(({ path }) => path);
}

const CAST = /(?<!^\s*(?:import|export|\/\/|\/?\*)[^\n]*)\bas (?!const\b)[A-Z{[][\w.<>[\]{} |]*/gm;

/** Type casts outside of tests. They belong only where data enters. */
export function casts(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !isTestFile(path)).flatMap(({ path, text }) => placesOf(path, text, CAST));
}

const COMMENT_OR_TEXT = /\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g;
const SET_BY_HAND = /(?<![\w.$])(?!(?:[012]|100)(?![\w.]))\d[\d_]*(?:\.\d+)?(?:e-?\d+)?/g;

/** `path: number` of the detection of marks, without 0, 1, 2 and hundredths: each was set by hand, for the files that were there. */
export function numbersSetByHand(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('packages/roasting/src/detection/') && !isTestFile(path))
    .flatMap(({ path, text }) =>
      Array.from(text.replaceAll(COMMENT_OR_TEXT, '').matchAll(SET_BY_HAND), ([number]) => `${path}: ${number}`),
    );
}

const READ_ONCE =
  /\bexpect\(\s*\(*(?:await|new URL\(\w*\.?page\.url)\b(?:(?!\bexpect\b|\.call\()[^;])*?\.(?:innerText|allInnerTexts|textContent|allTextContents|inputValue|count|isVisible|isHidden|isEnabled|isDisabled|isChecked|getAttribute|boundingBox|url)\(/g;

/** Places where a browser test reads a page once: the expected content may still be loading, so it has to retry. */
export function looksOnce(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('portal/e2e/'))
    .flatMap(({ path, text }) => placesOf(path, text, READ_ONCE));
}

const REAL_TIME = String.raw`setTimeout\b|(?<![\w.])pause\(|\bDate\.now\(\)|\bperformance\.now\(\)`;

/** Not the tests that are about real time, nor waiting itself and the benches. */
const shouldWaitForConditions = (path: string): boolean =>
  isTestFile(path) &&
  !/\.timed\.test\.ts$|\/structure\.test\.ts$/.test(path) &&
  (!/^packages\/(?:testing|lab)\//.test(path) || path.endsWith('.test.ts'));

/** What tests do with real time, counted for each file: they should wait for conditions or use virtual time. */
export function realTimeInTests(files: readonly SourceFile[]): Record<string, number> {
  const counted = files
    .filter(({ path }) => shouldWaitForConditions(path))
    .map(({ path, text }) => {
      const aliases = Array.from(text.matchAll(/\bsetTimeout as (\w+)/g), ([, alias]) => `(?<![\\w.])${alias}\\(`);
      const found = text.match(new RegExp([REAL_TIME, ...aliases].join('|'), 'g')) ?? [];
      return [path, found.length] as const;
    });
  return Object.fromEntries(counted.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Statements that one file of the api makes, once, for all others. */
const STATEMENT_HOMES: readonly { statement: RegExp; home: string }[] = [
  { statement: /\bDELETE FROM roasts\b/g, home: 'api/src/domains/roasts/life/end-roast.ts' },
];

/** Places that make such a statement themselves, and the home's own beyond the first. */
export function statementsElsewhere(files: readonly SourceFile[]): string[] {
  return STATEMENT_HOMES.flatMap(({ statement, home }) =>
    programsOfTheApi(files).flatMap(({ path, text }) => placesOf(path, text, statement).slice(path === home ? 1 : 0)),
  );
}

const homeOfSamples = 'api/src/recordings/';
const surfaceOfSamples = `${homeOfSamples}recordings.ts`;
const besideTheSamples = (files: readonly SourceFile[]) =>
  programsOfTheApi(files).filter(({ path }) => !path.startsWith(homeOfSamples));

/** Places outside of the recordings that name their tables. The row of a recording itself is what roasts refer to. */
export function samplesElsewhere(files: readonly SourceFile[]): string[] {
  const tables = /\b(?:recording_(?:chunks|boots|layouts|notes)|continuing_streams|sample_sweeps)\b/g;
  return besideTheSamples(files).flatMap(({ path, text }) => placesOf(path, text, tables));
}

/** Imports of the recordings' files past their surface. */
export function importsPastTheSurface(files: readonly SourceFile[]): string[] {
  return eachImport(besideTheSamples(files), (_from, to) => to.startsWith(homeOfSamples) && to !== surfaceOfSamples);
}

/** The functions that the recordings offer to other places. */
export function functionsOfTheSurface(files: readonly SourceFile[]): string[] {
  const text = files.find(({ path }) => path === surfaceOfSamples)?.text ?? '';
  const listed = Array.from(text.matchAll(/^export \{([^}]*)\}/gm), ([, names = '']) => names.split(','))
    .flat()
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  const declared = Array.from(
    text.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm),
    ([, name = '']) => name,
  );
  return [...listed, ...declared];
}

/** Chains of promises made by hand, where `serial` runs tasks in turn. The portal has `useInOrder`. */
export function chainsByHand(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTestFile(path) && !path.startsWith('portal/'))
    .flatMap(({ path, text }) => placesOf(path, text, /\b(\w+) = \1\s*\.then\(/g));
}

/**
 * Another's object is used as it is: none of its methods is replaced, none of its private members is read (a class may call
 * those of the one that it extends), and no library is wrapped in a Proxy.
 */
const REACHES_INSIDE =
  /\bnew Proxy\(|(?<!\bsuper|\bthis|\bz\.core\.JSONSchema)\._[a-zA-Z]|['"]_(?:handle|events|read\w*|write\w*)['"]|\b(?!this\b)\w+\.(?:push|read|write|cork|uncork|end|destroy|emit|handler?|then|begin|listen|close|send) = [^=;\n][^;\n]*=>/g;

/** Places that reach inside of objects that they did not create. */
export function reachesInside(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTestFile(path) && !path.includes('/testing/') && !GENERATES_PROGRAMS.includes(path))
    .flatMap(({ path, text }) => placesOf(path, text, REACHES_INSIDE));
}
/** Its text is a program's, in which a module that can't be loaded is a Proxy. */
const GENERATES_PROGRAMS: readonly string[] = ['device-agent/src/packaging/program-bundle.ts'];

const programsOfTheApi = (files: readonly SourceFile[]) =>
  files.filter(({ path }) => path.startsWith('api/src/') && !isTestFile(path));

/** Places of the api that have been divided into folders, which stay small. */
const DIVIDED: readonly string[] = ['api/src/domains/roasts'];
const maxFilesOfFolder = 12;

/** Folders of these places with too many files of their own, tests included. */
export function largeFolders(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (!DIVIDED.some((place) => path.startsWith(`${place}/`))) continue;
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > maxFilesOfFolder);
  return large.map(([folder, count]) => `${folder} (${count})`);
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

/**
 * A button of the portal is busy, and its failure shown, by `useAction` and `attempt` only: no component has a state of its own for it,
 * and none turns an error into a toast.
 */
const OWN_ACTION =
  /\[\w*(?:[bB]usy|[sS]aving|[sS]ending|[sS]ubmitting)\w*, set\w+\] = useState|\btoast\(\s*sentence(?:For|WithFields)\(/g;

/** Marks of a cockpit overlap, and files are sent for minutes: both show it in their own way. */
const OWN_PROGRESS = /\/(?:use-marking|use-sending)\.ts$/;

/** A form of the portal is a `FormFrame`; a sign-in has none, since the guard of unsaved changes shows it. */
const OWN_FORM = /<form\b/g;
const FORMS = /\/(?:RecordForm|SignInAgain|LoginPage)\.tsx$/;

export function formsByHand(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('portal/src/') && !isTestFile(path) && !FORMS.test(path))
    .flatMap(({ path, text }) => placesOf(path, text, OWN_FORM));
}

export function actionsByHand(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('portal/src/') && !isTestFile(path) && !OWN_PROGRESS.test(path))
    .flatMap(({ path, text }) => placesOf(path, text, OWN_ACTION));
}
