import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { apiBasePath } from '@roastery/contract/endpoint';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { sharedData } from '@roastery/testing/shared-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from './ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from './testing/ingest-fixture.ts';
import { documentedCalls, type DocumentedCall, type Known } from './testing/documented-calls.ts';
import { misfits } from './testing/documented-shapes.ts';
import { startTestApi, testAdmin, type TestApi } from './testing/test-api.ts';
import type { Answered, Visitor } from './testing/visitor.ts';

/** The product document, where it exists beside the project; the calls below are copied from it. */
const productDocument = sharedData().path('..', 'spec', 'portal.md');
const isPresent = existsSync(productDocument);

const channels = ['bean_temp', 'exhaust_temp', 'burner_front_temp', 'burner_back_temp', 'heat_power', 'fan_speed'];

const at = (second: number, seq = second) => ({ seq, mono: 5000 + second * 1000 });

/** Ten minutes at 1 Hz with every reading the document names, delivered like a board's. */
const bringRoast = async (database: Awaited<ReturnType<typeof openMigratedDatabase>>, serial: string) => {
  const board = createJournalBoard({ channels: [...channels, 'drum_speed'] });
  const id = uuidV7();
  board.sample(at(0).mono, 200, 220, 300, 310, 80, 40, 60);
  board.event(at(0).mono, { type: 'roast', roast_id: id, state: 'in_progress' });
  for (let second = 1; second <= 600; second += 1) {
    board.sample(at(second).mono, 90 + second * 0.2, 200, 300, 310, 80, 40, 60);
  }
  // The event after the first sample also has a sequence number in the journal.
  const marks = [
    ['charge', 1, 90.2],
    ['first_crack', 480, 186],
    ['drop', 600, 210],
  ] as const;
  for (const [kind, second, temp] of marks) {
    board.event(at(600).mono, markEvent(id, kind, at(second, second + 1), temp));
  }
  board.event(at(600).mono, { type: 'roast', roast_id: id, state: 'completed' });
  await commitMessages(
    database.sql,
    board.batches().map((batch) => messageOf(serial, batch)),
  );
  return id;
};

describe('the calls of the product document', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let test: TestApi;
  let admin: Visitor;
  /** Signs in and out with the calls of the document itself. */
  let person: Visitor;
  const known: Known = { unused: '00000000-0000-7000-8000-000000000000' };

  beforeAll(async () => {
    database = await openMigratedDatabase();
    test = await startTestApi(database.url);
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    person = test.visitor();
    const me = await admin.send<{ id: string }>('GET', '/auth/me');
    await registerMachine(database.sql, 'RM15-DOC', me.body.id);
    known['roast'] = await bringRoast(database, 'RM15-DOC');
  });
  afterAll(async () => {
    await test.close();
    await database[Symbol.asyncDispose]();
  });

  const make = ({ call, id, category, query, payload, by }: DocumentedCall, who?: Visitor): Promise<Answered> => {
    const [method = '', path = ''] = call.split(' ');
    const address = path.replace('{id}', known[id ?? 'unused'] ?? 'missing').replace('{category}', category ?? '');
    const search = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
    return (who ?? (by === 'person' ? person : admin)).send(method, `${address}${search}`, payload?.(known));
  };

  it.each(documentedCalls)('$call ($what)', async (documented) => {
    const answer = await make(documented);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(misfits(documented.answers, answer.body)).toEqual([]);
    const { holds, count, keeps } = documented;
    expect(answer.body).toMatchObject(holds?.(known) ?? (answer.body as object));
    const length = Array.isArray(answer.body) ? answer.body.length : undefined;
    expect(length).toBe(count ?? length);
    if (keeps !== undefined) known[keeps] = (answer.body as { id: string }).id;
  });

  it('need the cookie that signing in sets, all but signing in and out [P135]', async () => {
    const stranger = test.visitor();
    for (const documented of documentedCalls) {
      if (/ \/auth\/log(?:in|out)$/.test(documented.call)) continue;
      const answer = await make(documented, stranger);
      expect([documented.call, answer.status]).toEqual([documented.call, 401]);
    }
  });

  it('take JSON and nothing else [P135]', async () => {
    for (const { call, payload } of documentedCalls) {
      if (payload === undefined) continue;
      const [method = '', path = ''] = call.split(' ');
      const answer = await fetch(`${test.url}${apiBasePath}${path.replace('{id}', known['unused'] ?? '')}`, {
        method,
        headers: { 'content-type': 'text/plain', cookie: admin.cookie ?? '' },
        body: JSON.stringify(payload(known)),
      });
      expect([call, answer.status]).toEqual([call, 415]);
    }
  });

  it.skipIf(!isPresent)(
    'are all it names (read in ../shared/spec/portal.md, skipped where that is absent) [P136]',
    async () => {
      const [, section = ''] = /^## 7\. Calls$([\s\S]*?)^## 8\./m.exec(await readFile(productDocument, 'utf8')) ?? [];
      const named = [
        ...section
          .replaceAll('{product}y', 'roastery')
          .matchAll(/((?:GET|POST|PUT|DELETE)(?: and PUT)?) ((?:\/[\w{}-]+)+)/g),
      ].flatMap(([, methods = '', path = '']) =>
        (methods.match(/GET|POST|PUT|DELETE/g) ?? []).map((method) => `${method} ${path}`),
      );
      expect(named.length).toBeGreaterThan(30);
      const calls = new Set(documentedCalls.map(({ call }) => call));
      expect(named.filter((call) => !calls.has(call))).toEqual([]);
    },
  );
});
