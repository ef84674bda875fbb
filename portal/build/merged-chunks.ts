import type { Plugin } from 'vite';

/** A chunk imports only those before it; those of the features come last. */
const commonChunks = ['start', 'live', 'widgets', 'forms', 'charts'] as const;

/** The pages that are opened first: modules that they share with others are in the first file. */
const isFirstPage = /\/features\/(?:dashboard\/Dashboard|login\/Login)Page\.tsx$/;
/** What the first page loads after itself. */
const isLive = /\/features\/dashboard\/LiveMachines\.tsx$/;
const isRoutes = /\/app\/routes\.tsx$/;
const isChartLibrary = (id: string): boolean => /\/node_modules\/(?:chart\.js|@kurkle)\//.test(id);
const isLoadedLast = (id: string): boolean => /\/node_modules\/chartjs-plugin-zoom\//.test(id);
const isFormLibrary = (id: string): boolean => /\/node_modules\/(?:react-hook-form|zod)\//.test(id);
const featureOf = (id: string): string | undefined => /\/src\/features\/([\w-]+)\//.exec(id)?.[1];

interface Graph {
  readonly ids: Iterable<string>;
  importsOf(id: string): readonly string[];
}

/** The module and everything that it imports statically, imports of imports included. */
const reach = (graph: Graph, from: readonly string[]): Set<string> => {
  const found = new Set<string>(from);
  for (const id of found) for (const imported of graph.importsOf(id)) found.add(imported);
  return found;
};

/** Module → those that import it. */
const importersIn = (graph: Graph): Map<string, string[]> => {
  const importers = new Map<string, string[]>();
  for (const id of graph.ids)
    for (const imported of graph.importsOf(id)) importers.set(imported, [...(importers.get(imported) ?? []), id]);
  return importers;
};

/** The modules that match, and all that import one of them, also indirectly. */
const bringers = (graph: Graph, matches: (id: string) => boolean): Set<string> => {
  const importers = importersIn(graph);
  const found = new Set([...graph.ids].filter(matches));
  for (const id of found) for (const importer of importers.get(id) ?? []) found.add(importer);
  return found;
};

interface Pages {
  /** Loaded with the HTML. */
  readonly entries: readonly string[];
  /** What a route loads. */
  readonly ofRoutes: readonly string[];
  /** What a page loads later: a dialog, the charts. */
  readonly later: readonly string[];
}

/**
 * The chunk of each module: `start` for the first page, `live` for what it loads after itself, the feature's own if no
 * other feature uses it (pages with and without forms are separate, what both use is with the widgets), else by the
 * library that comes with it. Modules that are loaded later stay separate.
 */
const nameChunks = (graph: Graph, { entries, ofRoutes, later }: Pages): Map<string, string> => {
  const start = reach(graph, entries);
  const users = new Map<string, string[]>();
  for (const page of [...ofRoutes, ...later]) {
    for (const id of reach(graph, [page])) users.set(id, [...(users.get(id) ?? []), page]);
  }
  const firstPages = ofRoutes.filter((id) => isFirstPage.test(id));
  const ofFirstPages = reach(graph, firstPages);
  const ofLive = reach(
    graph,
    later.filter((id) => isLive.test(id)),
  );
  const importers = importersIn(graph);
  const bringsCharts = bringers(graph, isChartLibrary);
  const bringsForms = bringers(graph, isFormLibrary);
  const nameOf = (id: string): string | undefined => {
    if (start.has(id)) return 'start';
    const feature = featureOf(id);
    const usedBy = users.get(id) ?? [];
    // `widgets` imports none of `live`, so that a page without forms goes without the schemas of live events.
    if (ofLive.has(id) && !ofFirstPages.has(id))
      return bringsForms.has(id) || importers.get(id)?.every((one) => bringsForms.has(one)) ? 'live' : 'start';
    const isOfPage = usedBy.some((page) => ofRoutes.includes(page));
    // The charts of a feature are with its page only where the page can't be without them.
    if (bringsCharts.has(id) && !(isOfPage && feature !== undefined))
      return isLoadedLast(id) || feature !== undefined ? undefined : 'charts';
    if (usedBy.length < 2 && !isOfPage) return undefined;
    if (ofFirstPages.has(id) && !firstPages.includes(id) && usedBy.length > 1) return 'start';
    if (feature !== undefined && usedBy.every((page) => featureOf(page) === feature)) {
      const pagesUsing = usedBy.filter((page) => ofRoutes.includes(page));
      const withForms = pagesUsing.filter((page) => bringsForms.has(page));
      if (bringsForms.has(id) || (withForms.length > 0 && withForms.length === pagesUsing.length))
        return `${feature}-forms`;
      // In a file of their own, a page with forms would request it besides.
      return withForms.length > 0 ? 'widgets' : feature;
    }
    if (usedBy.length < 2) return undefined;
    return bringsForms.has(id) ? 'forms' : 'widgets';
  };
  const names = new Map<string, string>();
  for (const id of graph.ids) {
    const name = nameOf(id);
    if (name !== undefined) names.set(id, name);
  }
  return names;
};

/**
 * Merges the code that pages share into a few files. A request costs a phone 150 ms whatever its size: by default the
 * bundler creates a file for each combination of pages, 53 to 113 for a page.
 */
export const mergedChunks = (): Plugin => {
  let names: ReadonlyMap<string, string> = new Map();
  const isCommon = (name: string | undefined): boolean => commonChunks.some((common) => common === name);
  // A group includes the imports of its modules, except those of a higher priority: no chunk imports one that imports
  // it.
  const common = commonChunks.map((name, place) => ({
    name,
    priority: commonChunks.length - place,
    test: (id: string) => names.get(id) === name,
  }));
  const features = {
    name: (id: string) => names.get(id) ?? null,
    debugName: 'features',
    test: (id: string) => names.has(id) && !isCommon(names.get(id)),
  };
  return {
    name: 'merged-chunks',
    apply: 'build',
    config: () => ({ build: { rolldownOptions: { output: { codeSplitting: { groups: [...common, features] } } } } }),
    buildEnd() {
      const ids = [...this.getModuleIds()];
      const infoOf = (id: string) => this.getModuleInfo(id);
      const importersOf = (id: string) => infoOf(id)?.dynamicImporters ?? [];
      // The bundler creates a new list for each call.
      const imports = new Map(ids.map((id) => [id, infoOf(id)?.importedIds ?? []]));
      names = nameChunks(
        { ids, importsOf: (id) => imports.get(id) ?? [] },
        {
          entries: ids.filter((id) => infoOf(id)?.isEntry === true),
          ofRoutes: ids.filter((id) => importersOf(id).some((from) => isRoutes.test(from))),
          later: ids.filter((id) => importersOf(id).some((from) => !isRoutes.test(from))),
        },
      );
    },
  };
};
