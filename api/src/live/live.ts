import { machineLive, machinesLive } from '@roastery/contract/live';
import { wallLive } from '@roastery/contract/wall';
import { Gauge } from 'prom-client';
import type { Domain } from '../app.ts';
import { openMqttLinks } from '../broker/links.ts';
import type { AppContext } from '../context.ts';
import { AppError, notFound } from '../http/app-error.ts';
import { openSessionStream } from '../http/session-streams.ts';
import { sseAnswer } from '../http/sse-stream.ts';
import { viewerOf, wallMachineIds } from '../domains/wall/read-wall.ts';
import { requireMachine, seenMachineIds } from '../identity/access.ts';
import { readConnections } from '../identity/machines.ts';
import { LiveHub } from './live-hub.ts';

/** The live stream of machines: its endpoint, and the service that listens to broker and database. */
export const createLive = () => {
  let hub: LiveHub | undefined;

  const routes: Domain = ({ forUser, forWall }) => {
    forWall(wallLive, async (context, { signal }) => {
      if (hub === undefined) throw new AppError('not_ready', 'Live streams are not ready yet.', 2);
      const { sql, user } = context;
      const session = await openSessionStream(context);
      try {
        const machines = await readConnections(sql, await wallMachineIds(sql, viewerOf(user)));
        return sseAnswer(hub.watchWall([...machines.values()], signal, session));
      } catch (error) {
        session.done();
        throw error;
      }
    });
    forUser(machineLive, async (context, { params, signal }) => {
      if (hub === undefined) throw new AppError('not_ready', 'Live streams are not ready yet.', 2);
      const { sql, user } = context;
      // Ends with the session, whichever instance ended it, when the user loses a machine, and with the process.
      const session = await openSessionStream(context);
      try {
        await requireMachine(sql, user, params.id, 'see');
        const machine = (await readConnections(sql, [params.id])).get(params.id);
        if (machine === undefined) throw notFound('Machine');
        return sseAnswer(hub.watch([machine], [], user.id, signal, session));
      } catch (error) {
        session.done();
        throw error;
      }
    });
    forUser(machinesLive, async (context, { query, signal }) => {
      if (hub === undefined) throw new AppError('not_ready', 'Live streams are not ready yet.', 2);
      const { sql, user } = context;
      const session = await openSessionStream(context);
      try {
        const asked = [...new Set(query.machines)];
        const machines = await readConnections(sql, await seenMachineIds(sql, user, asked));
        const gone = asked.filter((id) => !machines.has(id));
        return sseAnswer(hub.watch([...machines.values()], gone, user.id, signal, session));
      } catch (error) {
        session.done();
        throw error;
      }
    });
  };

  const service = async ({ sql, config, log: parent, clock, metrics }: AppContext) => {
    const log = parent.child({ part: 'live' });
    const mqtt = openMqttLinks({ urls: config.mqttUrls, secret: config.brokerSecret, log });
    const started = await LiveHub.open({ sql, mqtt, log, clock });
    hub = started;
    const gauge: Gauge = new Gauge({
      name: 'live_watchers',
      help: 'Open live streams of this instance',
      registers: [metrics],
      collect() {
        gauge.set(started.watcherCount);
      },
    });
    return {
      async close(): Promise<void> {
        hub = undefined;
        await started.close();
        await mqtt.close();
      },
    };
  };
  return { routes, service };
};
