import { getBoardPackages } from '@roastery/contract/board-packages';
import {
  getBoardUpdates,
  orderBoardUpdates as orderEndpoint,
  withdrawBoardUpdates as withdrawEndpoint,
} from '@roastery/contract/board-updates';
import { deviceSelf, pairDevice as pairDeviceEndpoint, revokeOwnCredential } from '@roastery/contract/devices';
import * as contract from '@roastery/contract/fleet';
import { storedMapShape } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import type { Domain } from '../../app.ts';
import { notFound } from '../../http/app-error.ts';
import { findManagedMachine } from '../../identity/machines.ts';
import { orderBoardUpdates, readBoardUpdates, withdrawBoardUpdates } from './board-updates.ts';
import { confirmPairing, revokeCredential, revokeOwn, rotateCredential, standingCredentials } from './credentials.ts';
import { listDevices } from './fleet.ts';
import { brokerAddresses, pairDevice } from './pair-device.ts';
import { restoreHistory } from './restore-history.ts';
import { listTickets, newestTickets, noteTicket, reissueTicket, revokeTicket } from './tickets.ts';

export const deviceRoutes: Domain = (routes) => {
  routes.forPublic(pairDeviceEndpoint, (context, { body }) => pairDevice(context, body));
  routes.forDevice(deviceSelf, async (context) => {
    const { sql, machine, config, broker } = context;
    const [row] = await sql<{ display_name: string; map: unknown }[]>`
      SELECT display_name, map FROM machines WHERE id = ${machine.id}`;
    if (!row) throw notFound('Machine');
    await confirmPairing(context);
    const login = await broker.loginOf(machine.serial_number);
    return {
      machine_id: machine.id,
      serial_number: machine.serial_number,
      display_name: row.display_name,
      ...brokerAddresses(config),
      ...(login && { mqtt_login: login }),
      server_time: new Date().toISOString(),
      map: row.map === null ? null : parseOrThrow(storedMapShape, row.map),
    };
  });
  routes.forDevice(revokeOwnCredential, (context, { body }) => revokeOwn(context, body.because));
  routes.forUser(getBoardPackages, ({ config, packages }) => ({
    portal_url: config.publicUrl,
    repository: packages?.about ?? null,
  }));
  routes.forUser(getBoardUpdates, readBoardUpdates);
  routes.forUser(orderEndpoint, (context, { body }) => orderBoardUpdates(context, body));
  routes.forUser(withdrawEndpoint, (context, { body }) => withdrawBoardUpdates(context, body.boards));
  routes.forUser(contract.listDevices, ({ sql }, { query }) => listDevices(sql, query));
  routes.forUser(contract.listPairingTickets, ({ sql, config }, { query }) =>
    listTickets(sql, config.secretKey, query),
  );
  routes.forUser(contract.getPairing, async ({ sql, user }, { params }) => {
    const { id } = await findManagedMachine(sql, user, params.id);
    const [tickets, credentials] = await Promise.all([newestTickets(sql, [id]), standingCredentials(sql, [id])]);
    return { ticket: tickets.get(id) ?? null, credential: credentials.get(id) ?? null };
  });
  routes.forUser(contract.reissuePairingTicket, (context, { params }) => reissueTicket(context, params.id));
  routes.forUser(contract.notePairingTicket, (context, { params, body }) => noteTicket(context, params.id, body.what));
  routes.forUser(contract.revokePairingTicket, (context, { params }) => revokeTicket(context, params.id));
  routes.forUser(contract.rotateCredential, (context, { params, body }) =>
    rotateCredential(context, params.id, body.overlap_hours),
  );
  routes.forUser(contract.revokeCredential, (context, { params }) => revokeCredential(context, params.id));
  routes.forUser(contract.restoreHistory, (context, { params, body }) =>
    restoreHistory(context, params.id, body.epochs),
  );
};
