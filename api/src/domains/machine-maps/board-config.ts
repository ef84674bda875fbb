import { storedMapShape } from '@roastery/contract/machine-map';
import type { BoardConfig, BoardSettings } from '@roastery/contract/machine-maps';
import { type DeviceStatus, statusShape } from '@roastery/contract/mqtt';
import { parseOrThrow, parseShape } from '@roastery/contract/parse-shape';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError } from '../../http/app-error.ts';
import { findManagedMachine, lockManagedMachine } from '../../identity/machines.ts';
import { configureMachines, type StoredSettings } from './configure-machine.ts';
import { findMapToUse } from './find-map.ts';
import { publishConfigs } from './publish-configs.ts';

interface Row {
  readonly map: unknown;
  readonly map_id: string | null;
  readonly map_rev: number | null;
  readonly board_settings: StoredSettings;
  readonly config_rev: number;
  readonly config_changed_at: string | null;
  readonly status: unknown;
}

const nothingSet: BoardSettings = {
  host: null,
  port: null,
  path: null,
  hz: null,
  log_level: null,
  timeout_ms: null,
  gap_ms: null,
  status_page: null,
  time_servers: null,
};

export const readBoardConfig = async (sql: Sql, user: SignedInUser, id: string): Promise<BoardConfig> => {
  const machine = await findManagedMachine(sql, user, id);
  const [row] = await sql<Row[]>`
    SELECT map, map_id, map_rev, board_settings, config_rev, config_changed_at, status
      FROM machines WHERE id = ${machine.id}`;
  if (!row) throw new Error('the machine just found is not there');
  const map = row.map === null ? null : parseOrThrow(storedMapShape, row.map);
  const status = row.status === null ? undefined : parseShape(statusShape, row.status).data;
  return {
    map: map && {
      id: map.id,
      rev: map.rev,
      maker: map.maker,
      model: map.model,
      verified: map.verified,
      notes: map.notes ?? null,
    },
    link: map?.link ?? null,
    map_hz: map?.hz ?? null,
    settings: { ...nothingSet, ...row.board_settings },
    revision: row.config_rev,
    changed_at: row.config_changed_at,
    ...configState(row.config_rev, status, row.board_settings),
    running_map: status?.map ?? null,
  };
};

/** As in a request: absent or null is not set. */
type GivenSettings = { readonly [K in keyof BoardSettings]?: BoardSettings[K] | undefined };

const stored = (settings: GivenSettings): StoredSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));

/** Sets map and settings of a machine's board as a whole, and publishes them. */
export const setBoardConfig = async (
  context: UserContext,
  id: string,
  wanted: GivenSettings & { map_id: string | null; map_rev?: number | undefined; revision?: number | undefined },
): Promise<BoardConfig> => {
  const { map_id: mapId, map_rev: mapRev, revision, ...given } = wanted;
  const settings = stored(given);
  await context.sql.begin(async (tx) => {
    await findManagedMachine(tx, context.user, id);
    const map = mapId === null ? null : (await findMapToUse(tx, context.user, mapId, mapRev)).map;
    const machine = await lockManagedMachine(tx, context.user, id);
    const [before] = await tx<{ config_rev: number }[]>`SELECT config_rev FROM machines WHERE id = ${id}`;
    if (revision !== undefined && revision !== before?.config_rev) {
      throw new AppError(
        'changed_meanwhile',
        'Another user has changed the map or settings. Reload them and repeat your change.',
      );
    }
    await configureMachines(tx, [{ ...machine, board_settings: settings }], map);
    await recordAudit(tx, actorOf(context), {
      action: 'machine.board_configured',
      subject: id,
      detail: {
        serial_number: machine.serial_number,
        map: map === null ? null : `${map.id}@${map.rev}`,
        ...settings,
      },
    });
  });
  await publishConfigs(context, [id]);
  return readBoardConfig(context.sql, context.user, id);
};

/** Boards that do not report whether settings are on trial have none that can be reverted. */
const newerSettings = ['timeout_ms', 'gap_ms', 'status_page', 'time_servers'] as const;

/** The state of a board's newest config, from the board's last status. */
export const configState = (
  revision: number,
  status: DeviceStatus | undefined,
  settings: StoredSettings,
): Pick<BoardConfig, 'state' | 'reason'> => {
  if (revision === 0) return { state: 'none', reason: null };
  const reported = status?.config;
  if (reported?.rev !== revision) return { state: 'waiting', reason: null };
  if (reported.reverted) return { state: 'reverted', reason: reported.reason ?? null };
  if (reported.state !== 'running') return { state: reported.state, reason: reported.reason ?? null };
  if (reported.trial === undefined && newerSettings.some((name) => settings[name] !== undefined))
    return { state: 'refused', reason: 'the board’s software is too old for some of these settings' };
  return { state: reported.trial ? 'trial' : 'running', reason: null };
};
