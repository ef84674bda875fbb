/** Every address of the portal, in one place. Patterns with parameters are in app/routes.tsx. */
export const paths = {
  login: '/login',
  dashboard: '/dashboard',
  machines: '/machines',
  /** Finds the registers of a machine through its board. */
  probeMachine: (id: string) => `/machines/${encodeURIComponent(id)}/probe`,
  /** All machines at once, for a television. */
  wall: '/wall',
  /** Opens the wall without an account; the token stays on the screen, since browsers do not send fragments. */
  wallLink: (token: string) => `/wall#token=${encodeURIComponent(token)}`,
  /** Full-screen live view of a machine. */
  cockpit: (id: string) => `/machines/${encodeURIComponent(id)}/live`,
  /** All recordings of a machine; optionally a span and a selected roast. */
  timeline: (id: string, at: { from?: string; to?: string; roast?: string } = {}) => {
    const query = new URLSearchParams(at).toString();
    return `/machines/${encodeURIComponent(id)}/timeline${query === '' ? '' : `?${query}`}`;
  },
  /** What a machine's own roasts have taught about it. */
  machineLessons: (id: string) => `/machines/${encodeURIComponent(id)}/learnt`,
  /** The machines, with the settings of one opened. */
  machineSettings: (id: string) => `/machines?settings=${encodeURIComponent(id)}`,
  registerMachine: '/machines/register',
  machineMaps: '/machines/maps',
  machineMap: (id: string) => `/machines/maps/${encodeURIComponent(id)}`,
  roasts: '/roasts',
  /** Roasts that were dropped and not weighed; of one machine if given. */
  unweighedRoasts: (machineId?: string) =>
    `/roasts?without=weight${machineId === undefined ? '' : `&machine_id=${machineId}`}`,
  newRoast: '/roasts/new',
  logRoast: '/roasts/new?way=hand',
  uploadRoasts: '/roasts/new?way=upload',
  /** The original of a roast, read again: `uploadId` is its upload. */
  originalRead: (uploadId: string) => `/roasts/new?way=upload&upload=${encodeURIComponent(uploadId)}&again=1`,
  /** A planned roast in the queue of its machine. */
  plannedRoast: (id: string) => `/roasts/new?plan=${encodeURIComponent(id)}`,
  compare: (ids: readonly string[]) => `/roasts/compare${ids.length === 0 ? '' : `?ids=${ids.join(',')}`}`,
  batchNumbers: '/roasts/batch-numbers',
  /** Imported roasts whose time may be off by the time zone. */
  timesToCheck: '/roasts/times',
  blends: '/roasts/blends',
  newBlend: '/roasts/blends/new',
  blend: (id: string) => `/roasts/blends/${encodeURIComponent(id)}`,
  roast: (id: string) => `/roasts/${encodeURIComponent(id)}`,
  lots: '/inventory',
  newLot: '/inventory/lots/new',
  importLots: '/inventory/lots/import',
  editLot: (id: string) => `/inventory/lots/${encodeURIComponent(id)}/edit`,
  recipes: '/recipes',
  newRecipe: '/recipes/new',
  /** A new recipe, filled in from a roast. */
  recipeFromRoast: (roastId: string) => `/recipes/new?from_roast=${encodeURIComponent(roastId)}`,
  recipe: (id: string) => `/recipes/${encodeURIComponent(id)}`,
  users: '/admin/users',
  statistics: '/admin/stats',
  settings: '/admin/settings',
  devices: '/admin/devices',
  /** Its code, `PAIR-…`, typed into the search of the tickets. */
  pairingTicket: (code: string) => `/admin/devices?tab=tickets&q=${encodeURIComponent(code)}`,
  audit: '/admin/audit',
  analytics: '/analytics',
  /** The month so far, compared with the one before. */
  month: '/analytics?span=month',
  account: '/account',
} as const;
