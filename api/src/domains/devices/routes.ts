import { deviceSelf } from '@roastery/contract/devices';
import { machineMapShape } from '@roastery/contract/machine-map';
import type { Domain } from '../../app.ts';
import { notFound } from '../../http/app-error.ts';

export const deviceRoutes: Domain = (routes) => {
  routes.forDevice(deviceSelf, async ({ sql, machine, config }) => {
    const [row] = await sql<{ display_name: string; map: unknown }[]>`
      SELECT display_name, map FROM machines WHERE id = ${machine.id}`;
    if (!row) throw notFound('Machine');
    return {
      machine_id: machine.id,
      serial_number: machine.serial_number,
      display_name: row.display_name,
      mqtt_url: config.mqttPublicUrl,
      server_time: new Date().toISOString(),
      map: row.map === null ? null : machineMapShape.parse(row.map),
    };
  });
};
