import { multipartType, type Endpoint } from '@roastery/contract/endpoint';
import type { Sql } from '../db/sql.ts';
import { tcpSettings } from './artisan-settings.ts';
import {
  addAlarm,
  addAlarmRule,
  addBlend,
  addDiscardedRoast,
  addDoneImport,
  addDoneLotImport,
  addDrift,
  addExchangedMachine,
  addFileToImport,
  addImport,
  addLot,
  addLotAlert,
  addLotImport,
  addMachine,
  addMap,
  addMappedMachine,
  addOption,
  addPlan,
  addProfile,
  addPushSubscription,
  addQuarantined,
  addRoast,
  addSession,
  addTicket,
  addTimeToCheck,
  addUpload,
  addUser,
  addWallLink,
  exampleAlog,
  exampleCsv,
  exampleMap,
  exchangedMapId,
} from './example-data.ts';
import { formOf } from './visitor.ts';

/**
 * Who has access to the record in the path: all users, the owner and every admin, or one person. Records of a machine
 * have a `right` in the contract instead.
 */
export type Belongs = 'everybody' | 'owner' | 'one person';

export interface ExampleRequest {
  /** Creates a new record and returns the path's parameters. */
  readonly params?: (sql: Sql, ownerId: string) => Promise<Record<string, string>>;
  readonly belongs?: Belongs;
  /** A valid body, new each time. */
  readonly body?: (unique: string) => Record<string, unknown>;
  /** A valid file, for an endpoint that accepts one or several. */
  readonly file?: () => string;
  /** Required query parameters. */
  readonly query?: Record<string, string>;
  /** Why the state refuses a valid, permitted request. */
  readonly status?: number;
}

/** Header and body of a request that carries files. */
export const fileRequestOf = (
  { accepts }: Endpoint,
  { file }: ExampleRequest,
): { headers: Record<string, string>; body?: string | FormData } => {
  if (accepts === undefined) return { headers: {} };
  const bytes = file?.() ?? '';
  if (accepts.type === multipartType) return { headers: {}, body: formOf([{ name: 'roast.csv', bytes }]) };
  return { headers: { 'content-type': accepts.type }, body: bytes };
};

const withId = (add: (sql: Sql, ownerId: string) => Promise<string>) => async (sql: Sql, ownerId: string) => ({
  id: await add(sql, ownerId),
});
const machine = { params: withId(addMachine) };
const mappedMachine = { params: withId(addMappedMachine) };
const map = { params: withId(addMap), belongs: 'owner' } as const;
const roast = { params: withId(addRoast) };
const importedRoast = { params: withId(addTimeToCheck) };
const blend = { params: withId(addBlend), belongs: 'owner' } as const;
const plan = { params: withId(addPlan) };
const upload = { params: withId(addUpload), belongs: 'one person' } as const;
const manyFiles = { params: withId(addImport), belongs: 'one person' } as const;
const originalOfRoast = async (sql: Sql, ownerId: string) => {
  const id = await addUpload(sql, ownerId);
  await sql`UPDATE roast_uploads SET roast_id = ${await addTimeToCheck(sql, ownerId)} WHERE id = ${id}`;
  return { id };
};
const fileOfImport = async (sql: Sql, ownerId: string) => {
  const id = await addImport(sql, ownerId);
  return { id, file_id: await addFileToImport(sql, ownerId, id) };
};
const addedAlarm = async (sql: Sql, ownerId: string) => {
  const id = await addRoast(sql, ownerId);
  return { id, alarm_id: await addAlarm(sql, id) };
};
const alarmRuleBody = () => ({
  condition: { kind: 'rate_of_rise', side: 'below', c_per_minute: 4 },
  armed_after: 'first_crack',
  message: 'The rate of rise is low',
});
const ruleOfMachine = async (sql: Sql, ownerId: string) => {
  const id = await addMachine(sql, ownerId);
  return { id, rule_id: await addAlarmRule(sql, { machineId: id }) };
};
const driftOfMachine = async (sql: Sql, ownerId: string) => {
  const id = await addMachine(sql, ownerId);
  return { id, drift_id: await addDrift(sql, id) };
};
const ruleOfRecipe = async (sql: Sql) => {
  const id = await addProfile(sql);
  return { id, rule_id: await addAlarmRule(sql, { profileId: id }) };
};
const lotList = { params: withId(addLotImport), belongs: 'one person' } as const;
const lot = { params: withId(addLot) };
const profile = { params: withId(addProfile) };
const user = { params: withId(addUser) };
const probeOf = async (sql: Sql, ownerId: string) => ({
  id: await addMachine(sql, ownerId),
  probe_id: '0198c0de-0000-7000-8000-000000000001',
});
const markOf = async (sql: Sql, ownerId: string) => ({ id: await addRoast(sql, ownerId), kind: 'first_crack' });

const addMember = async (sql: Sql, ownerId: string) => {
  const [id, userId] = [await addMachine(sql, ownerId), await addUser(sql)];
  await sql`INSERT INTO machine_members (user_id, machine_id, role) VALUES (${userId}, ${id}, 'viewer')`;
  return { id, user_id: userId };
};

const blendBody = () => ({
  name: 'House blend',
  components: [{ roast_id: '018f0000-0000-7000-8000-000000000000', kg: 3 }],
});
const lotBody = { coffee_name: 'Sidamo', origin: 'Ethiopia', initial_weight: 60 };
export const profileBody = {
  name: 'House blend',
  control_profile: [
    { time: 0, burner: 100, exhaust: 30, drum: 60 },
    { time: 720, burner: 0, exhaust: 90, drum: 30 },
  ],
};

export const examplePassword = 'a long phrase for everybody here';

/** One valid request for each endpoint that needs more than its address, by the endpoint's name. */
export const exampleRequests: Readonly<Record<string, ExampleRequest>> = {
  login: { body: () => ({ email: 'unknown@example.com', password: examplePassword }), status: 401 },
  endSession: { params: withId(addSession), belongs: 'one person' },
  changePassword: { body: () => ({ current_password: examplePassword, new_password: examplePassword }) },
  updatePreferences: { body: () => ({ theme: 'dark' }) },
  getMachine: machine,
  registerMachine: {
    body: (unique) => ({
      serial_number: unique,
      display_name: 'Big Drum',
      machine_type: 'RM30',
      max_capacity_kg: 30,
    }),
  },
  updateMachine: {
    ...machine,
    body: () => ({ display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 }),
  },
  deleteMachine: machine,
  machineLive: machine,
  // Of a missing machine: its stream reports it.
  machinesLive: { query: { machines: '0198c0de-0000-7000-8000-000000000001' } },
  // No link has this token.
  openWall: { body: () => ({ token: 'a token that no link has' }), status: 404 },
  createWallLink: { body: () => ({ name: 'Roasting room' }) },
  revokeWallLink: { params: async (sql) => ({ id: await addWallLink(sql) }) },
  listMachineMembers: machine,
  listMemberCandidates: machine,
  putMachineMember: {
    params: async (sql, ownerId) => ({ id: await addMachine(sql, ownerId), user_id: await addUser(sql) }),
    body: () => ({ role: 'roaster' }),
  },
  removeMachineMember: { params: addMember },
  betweenBatches: machine,
  getMachineLessons: machine,
  dismissMachineDrift: { params: driftOfMachine },
  listRoasters: machine,
  // No user has this id.
  setRoaster: { ...machine, body: () => ({ user_id: '018f0000-0000-7000-8000-000000000000' }), status: 422 },
  setPin: { body: () => ({ pin: '2468', current_password: examplePassword }) },
  watchProbe: machine,
  // The machine of the examples has no board.
  startProbe: {
    ...machine,
    body: () => ({ units: [1], tables: ['holding'], from: 0, count: 64, usual_places: false }),
    status: 409,
  },
  sendMachineFile: { query: { file_name: 'roast.alog' }, file: exampleAlog },
  checkMachineFiles: { body: () => ({ sha256: ['0'.repeat(64)] }) },
  revokeOwnCredential: { body: () => ({ because: 'factory_reset' }) },
  findProbeLine: { ...machine, body: () => ({ unit: 1 }), status: 409 },
  stopProbe: { params: probeOf },
  getMachineMap: map,
  listMapRevisions: map,
  downloadMachineMap: map,
  createMachineMap: { body: () => ({ map: exampleMap, note: 'From the maker' }) },
  saveMachineMap: { ...map, body: () => ({ map: exampleMap, rev: 1 }) },
  deleteMachineMap: map,
  listChannelExchanges: machine,
  stateChannelExchange: {
    params: async (sql, ownerId) => ({ id: await addExchangedMachine(sql, ownerId, false) }),
    body: () => ({ state: 'exchanged', revisions: [{ map_id: exchangedMapId, map_rev: 1 }] }),
  },
  undoChannelExchange: { params: async (sql, ownerId) => ({ id: await addExchangedMachine(sql, ownerId, true) }) },
  getBoardConfig: machine,
  getChannelCheck: mappedMachine,
  exchangeChannels: { ...mappedMachine, body: () => ({ map_id: 'rm30', map_rev: 1 }) },
  confirmChannels: { ...mappedMachine, body: () => ({ map_id: 'rm30', map_rev: 1 }) },
  dismissMapUpdate: mappedMachine,
  showMapUpdate: mappedMachine,
  setBoardConfig: { ...machine, body: () => ({ map_id: 'rm30', host: '192.168.1.5', hz: 2, log_level: 'debug' }) },
  getRoast: roast,
  getRoastPlan: roast,
  getRoastCurve: roast,
  getRoastCurveColumns: roast,
  getLearntCrack: roast,
  getForecastBasis: roast,
  updateRoast: { ...roast, body: () => ({ coffee_name: 'Guji' }) },
  deleteRoast: roast,
  // A roast without a recording has no curve to set a mark on.
  putMark: { params: markOf, body: () => ({ time_seconds: 500 }), status: 409 },
  deleteMark: { params: markOf, status: 409 },
  getTimeline: machine,
  // The machine and the roasts of the examples have no recording.
  makeRoast: { ...machine, body: () => ({ charge_at: '2026-11-21T07:40:00.000Z' }), status: 409 },
  splitRoast: { ...roast, body: () => ({ at: '2026-11-21T07:40:00.000Z' }), status: 409 },
  // No roast has this id.
  mergeRoasts: { ...roast, body: () => ({ with: '018f0000-0000-7000-8000-000000000000' }), status: 422 },
  discardRoast: roast,
  restoreRoast: { params: withId(addDiscardedRoast) },
  setRoastFavorite: { ...roast, body: () => ({ is_favorite: true }) },
  exportRoastXlsx: roast,
  exportRoastCsv: roast,
  exportRoastAlog: roast,
  exportRoastPdf: roast,
  getBlend: blend,
  // No roast has this id.
  createBlend: { body: blendBody, status: 422 },
  updateBlend: { ...blend, body: blendBody, status: 422 },
  deleteBlend: blend,
  planRoast: {
    // No machine has this id.
    body: () => ({ machine_id: '018f0000-0000-7000-8000-000000000000', batch_size_kg: 12 }),
    status: 422,
  },
  getPlannedRoast: plan,
  cancelPlannedRoast: plan,
  updatePlannedRoast: { ...plan, body: () => ({ coffee_name: 'Guji' }) },
  // The machine of the examples has no queue.
  orderQueue: { ...machine, body: () => ({ plan_ids: [] }) },
  clearQueue: machine,
  uploadRoastFile: { query: { file_name: 'roast.csv' }, file: () => exampleCsv() },
  getRoastUpload: upload,
  chooseRoastUpload: { ...upload, body: () => ({ temperature_unit: 'C' }) },
  updateRoastFromUpload: { params: originalOfRoast, belongs: 'one person', body: () => ({}) },
  createRoastFromUpload: { ...upload, body: () => ({ start_time: '2026-11-21T07:40:00.000Z', coffee_name: 'Guji' }) },
  createRoastImport: { body: () => ({}) },
  getRoastImport: manyFiles,
  changeRoastImport: { ...manyFiles, body: () => ({ takes_green: true }) },
  addImportFiles: { ...manyFiles, file: () => exampleCsv() },
  listImportFiles: manyFiles,
  correctImportFile: { params: fileOfImport, belongs: 'one person', body: () => ({ coffee_name: 'Sidamo' }) },
  decideImportFiles: { ...manyFiles, body: () => ({ problem: 'duration', decision: 'skip' }) },
  startRoastImport: manyFiles,
  undoRoastImport: { params: withId(addDoneImport), belongs: 'one person' },
  deleteRoastImport: manyFiles,
  downloadOriginal: importedRoast,
  readOriginalAgain: importedRoast,
  changeTimesToCheck: {
    params: async (sql, ownerId) => {
      await addTimeToCheck(sql, ownerId);
      return {};
    },
    body: () => ({ action: 'shift', time_zone: 'Europe/Berlin' }),
  },
  importArtisanSettings: { query: { file_name: 'giesen.aset' }, file: () => tcpSettings },
  createLotImport: {
    query: { file_name: 'lots.csv' },
    file: () => 'lot_number,coffee_name,origin,initial_weight\nL-1,Guji,Ethiopia,60\n',
  },
  getLotImport: lotList,
  changeLotImport: { ...lotList, body: () => ({ origin: 'Ethiopia' }) },
  listLotImportRows: lotList,
  correctLotImportRow: {
    params: async (sql, ownerId) => ({ id: await addLotImport(sql, ownerId), line: '2' }),
    belongs: 'one person',
    body: () => ({ coffee_name: 'Sidamo' }),
  },
  startLotImport: lotList,
  undoLotImport: { params: withId(addDoneLotImport), belongs: 'one person' },
  deleteLotImport: lotList,
  logRoast: {
    body: () => ({ coffee_name: 'Guji', start_time: '2026-11-21T07:40:00.000Z', duration_seconds: 640 }),
  },
  getLot: lot,
  createLot: { body: (unique) => ({ lot_number: unique, ...lotBody }) },
  importLots: {
    body: (unique) => ({ csv: `lot_number,coffee_name,origin,initial_weight\n${unique},Sidamo,Ethiopia,60\n` }),
  },
  updateLot: { ...lot, body: () => lotBody },
  deleteLot: lot,
  listLotMovements: lot,
  adjustLot: { ...lot, body: () => ({ kg: -1, note: 'sample roast' }) },
  getProfile: profile,
  createProfile: { body: () => profileBody },
  updateProfile: { ...profile, body: () => profileBody },
  deleteProfile: profile,
  toggleProfileFavorite: profile,
  setReferenceRoast: { ...profile, body: () => ({ roast_id: null }) },
  cloneProfile: profile,
  listRoastAlarms: roast,
  subscribePush: {
    body: (unique) => ({
      endpoint: `https://updates.push.services.mozilla.com/wpush/v2/${unique}`,
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    }),
  },
  unsubscribePush: { params: withId(addPushSubscription), belongs: 'one person' },
  listMachineAlarmRules: machine,
  createMachineAlarmRule: { ...machine, body: alarmRuleBody },
  updateMachineAlarmRule: { params: ruleOfMachine, body: alarmRuleBody },
  deleteMachineAlarmRule: { params: ruleOfMachine },
  listRecipeAlarmRules: { params: withId(addProfile) },
  createRecipeAlarmRule: { params: withId(addProfile), body: alarmRuleBody },
  updateRecipeAlarmRule: { params: ruleOfRecipe, body: alarmRuleBody },
  deleteRecipeAlarmRule: { params: ruleOfRecipe },
  acknowledgeAlarm: { params: addedAlarm },
  dismissAlert: { params: withId(addLotAlert) },
  // The api of the tests has no mail server.
  sendTestMail: { status: 409 },
  analyticsGroups: { params: async () => ({ by: 'machine' }) },
  analyticsConsistency: profile,
  listOptions: { params: async () => ({ category: 'origin' }) },
  createOption: { body: (unique) => ({ category: 'origin', value: unique }) },
  deleteOption: { params: withId(addOption) },
  putRoasterySettings: { body: () => ({ roastery_name: 'Drum & Bean' }) },
  createUser: {
    body: (unique) => ({ full_name: 'New', email: `${unique}@example.com`, password: examplePassword }),
  },
  updateUser: { ...user, body: () => ({ full_name: 'Renamed' }) },
  resetPassword: user,
  pairDevice: {
    body: () => ({ code: 'BCDF-GHJK-LMNP', secret_hash: '0'.repeat(64), hardware_id: 'board', agent_version: '1.0.0' }),
    status: 401,
  },
  getPairing: machine,
  reissuePairingTicket: machine,
  notePairingTicket: { ...machine, body: () => ({ what: 'viewed' }) },
  revokePairingTicket: { params: withId(addTicket), belongs: 'owner' },
  rotateCredential: { ...machine, body: () => ({ overlap_hours: 24 }) },
  revokeCredential: machine,
  // The board of the examples has no history.
  restoreHistory: { ...machine, body: () => ({ epochs: ['0123456789abcdef'] }), status: 409 },
  // The server of the examples has no packages.
  orderBoardUpdates: { body: () => ({ version: '1.0.0', boards: 'all' }), status: 409 },
  withdrawBoardUpdates: { body: () => ({ boards: 'all' }) },
  replayQuarantined: { params: withId(addQuarantined) },
  discardQuarantined: { params: withId(addQuarantined) },
  mqttAuth: { body: () => ({ clientid: 'board-x', username: 'x', password: 'y' }) },
  mqttAcl: { body: () => ({ clientid: 'board-x', username: 'x', topic: 'y', action: 'publish' }) },
};
