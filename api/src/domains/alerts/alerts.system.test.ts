import type { LotAlert, MailStatus } from '@roastery/contract/alerts';
import { createTestDatabase } from '@roastery/testing/test-database';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { migratedTemplate } from '../../testing/ingest-fixture.ts';

interface Received {
  to: string[];
  text: string;
}

/** A real mail server; while `refuses` is set it rejects every mail. */
const startMailServer = async () => {
  const received: Received[] = [];
  const state = { refuses: undefined as string | undefined };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => {
      done(state.refuses === undefined ? null : new Error(state.refuses));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        // Quoted-printable: folded lines are joined.
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address).sort(), text });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    state,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  };
};

const recipe = (lotId: string | null, watches = true) => ({
  name: 'House Espresso',
  green_coffee_lot_id: lotId,
  alert_low_inventory: watches,
  control_profile: [
    { time: 0, burner: 100, exhaust: 30, drum: 60 },
    { time: 720, burner: 0, exhaust: 90, drum: 30 },
  ],
});

const alertsOf = async (who: Visitor, lotId: string): Promise<LotAlert[]> =>
  (await who.send<{ alerts: LotAlert[] }>('GET', '/alerts')).body.alerts.filter(({ lot_id: id }) => id === lotId);

describe('low-stock alerts', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let test: TestApi;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let admin: Visitor;
  let eve: Visitor;
  const startMailing = () =>
    startTestApi(database.url, { smtpUrl: mail.url, mailFrom: 'Roastery <roastery@example.com>' });
  beforeAll(async () => {
    mail = await startMailServer();
    database = await createTestDatabase(migratedTemplate);
    test = await startMailing();
    admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const body = { full_name: 'Eve', email: 'eve@example.com', password: 'a long phrase for eve' };
    await admin.send('POST', '/admin/users', body);
    eve = await test.signedIn(body.email, body.password);
    await admin.send('PUT', '/settings/roastery', { alert_email: 'Green@Example.com' });
  });
  afterAll(async () => {
    await test.close();
    await database.drop();
    await mail.close();
  });

  let made = 0;
  const addLot = async (kg: number): Promise<string> => {
    const body = { lot_number: `L-${++made}`, coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: kg };
    return (await eve.send<{ id: string }>('POST', '/inventory/lots', body)).body.id;
  };
  const addRecipe = async (lotId: string, watches = true): Promise<string> =>
    (await eve.send<{ id: string }>('POST', '/profiles', recipe(lotId, watches))).body.id;
  const adjust = (lotId: string, kg: number) =>
    eve.send('POST', `/inventory/lots/${lotId}/movements`, { kg, note: 'counted' });
  const mailsAbout = (words: string): Received[] => mail.received.filter(({ text }) => text.includes(words));

  it('low-stock alert: appears once per crossing, until dismissed by each user, and again after a restock', async () => {
    const lot = await addLot(30);
    await addRecipe(lot);
    expect(await alertsOf(eve, lot)).toEqual([]);
    const roast = {
      coffee_name: 'Guji',
      start_time: '2026-11-20T07:40:00.000Z',
      duration_seconds: 640,
      lot_id: lot,
      batch_size_kg: 10,
    };
    // 20 kg are not below 20 kg.
    await eve.send('POST', '/roasts', roast);
    expect(await alertsOf(eve, lot)).toEqual([]);
    await eve.send('POST', '/roasts', { ...roast, batch_size_kg: 0.5 });
    const [raised] = await alertsOf(eve, lot);
    expect(raised).toMatchObject({ coffee_name: 'Guji', current_weight: 19.5, recipes: ['House Espresso'] });
    expect((await eve.send('POST', `/alerts/${lot}/dismiss`)).status).toBe(200);
    expect(await alertsOf(eve, lot)).toEqual([]);
    expect(await alertsOf(admin, lot)).toHaveLength(1);
    await adjust(lot, -1);
    expect(await alertsOf(eve, lot)).toEqual([]);
    await adjust(lot, 20);
    expect(await alertsOf(admin, lot)).toEqual([]);
    expect((await eve.send('POST', `/alerts/${lot}/dismiss`)).status).toBe(404);
    await adjust(lot, -30);
    expect(await alertsOf(eve, lot)).toMatchObject([{ current_weight: 8.5 }]);
  });

  it('low-stock alert: appears only while a recipe watches the lot and it is not archived', async () => {
    const lot = await addLot(15);
    const watching = await addRecipe(lot, false);
    expect(await alertsOf(eve, lot)).toEqual([]);
    // The lot is already low when a recipe begins to watch it.
    await eve.send('PUT', `/profiles/${watching}`, recipe(lot));
    expect(await alertsOf(eve, lot)).toHaveLength(1);
    await eve.send('PUT', `/profiles/${watching}`, recipe(lot, false));
    expect(await alertsOf(eve, lot)).toEqual([]);
    const copy = await eve.send<{ id: string }>('POST', `/profiles/${await addRecipe(lot)}/clone`);
    expect((await alertsOf(eve, lot))[0]?.recipes).toEqual(['House Espresso', 'House Espresso (Copy)']);
    expect(copy.status).toBe(201);
    await adjust(lot, -1);
    await eve.send('DELETE', `/inventory/lots/${lot}`);
    expect(await alertsOf(eve, lot)).toEqual([]);
  });

  it('is mailed once, to administrators and the roastery’s alert address', async () => {
    const lot = await addLot(21);
    await addRecipe(lot);
    await adjust(lot, -3);
    await expect.poll(() => mailsAbout(lot).length).toBe(1);
    const [letter] = mailsAbout(lot);
    expect(letter?.to).toEqual([testAdmin.email, 'green@example.com']);
    expect(letter?.text).toContain('From: Roastery <roastery@example.com>');
    expect(letter?.text).toContain('18 kg left');
    await adjust(lot, -3);
    const next = await addLot(21);
    await addRecipe(next);
    await adjust(next, -3);
    await expect.poll(() => mailsAbout(next).length).toBe(1);
    expect(mailsAbout(lot)).toHaveLength(1);
  });

  it('mail: two instances send each mail once', async () => {
    await using other = await startMailing();
    const { sql } = test.api.context;
    const isSent = async () => (await sql`SELECT 1 FROM outgoing_mail WHERE sent_at IS NULL`).length === 0;
    const logged = [test.log().length, other.log().length];
    const haveBothSent = (): boolean =>
      [test, other].every((api, n) => api.log().slice(logged[n]).includes('mail sent'));
    for (let round = 1; !haveBothSent(); round++) {
      const words = `round ${round},`;
      await sql`
        INSERT INTO outgoing_mail (id, recipients, subject, body)
        SELECT gen_random_uuid(), ARRAY['a@example.com'], 'Mail', ${words} || ' mail ' || n || '.'
        FROM generate_series(1, 30) AS n`;
      await expect.poll(isSent).toBe(true);
      const sent = mailsAbout(words).map(({ text }) => /mail \d+\./.exec(text)?.[0]);
      expect(sent).toHaveLength(30);
      expect(new Set(sent).size).toBe(30);
    }
  });

  it('alert email: names weights in the unit of the recipient', async () => {
    await admin.send('PATCH', '/account/preferences', { weight_unit: 'lb', date_language: 'de' });
    const lot = await addLot(21);
    await addRecipe(lot);
    await adjust(lot, -3);
    await expect.poll(() => mailsAbout(lot).length).toBe(2);
    const textFor = (address: string) => mailsAbout(lot).find(({ to }) => to.includes(address))?.text;
    expect(textFor(testAdmin.email)).toContain('39,68 lb left');
    expect(textFor(testAdmin.email)).not.toMatch(/\bkg\b/);
    expect(textFor('green@example.com')).toContain('18 kg left');
    await admin.send('PATCH', '/account/preferences', { weight_unit: 'kg', date_language: 'en-US' });
  });

  it('alert mail: waits in the outbox while the mail server refuses it, blocks no request, and arrives later', async () => {
    mail.state.refuses = 'Mailbox of the roastery is over quota';
    const lot = await addLot(21);
    await addRecipe(lot);
    expect((await adjust(lot, -3)).status).toBe(201);
    const status = async () => (await admin.send<MailStatus>('GET', '/settings/mail')).body;
    await expect.poll(async () => (await status()).problem?.error).toContain('over quota');
    expect(await status()).toMatchObject({ is_configured: true, waiting: 1, problem: { gave_up: false } });
    expect(test.log()).toContain('mail failed, will retry');
    const refused = await admin.send<{ detail: string }>('POST', '/settings/mail/test');
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toMatch(/^The mail server rejected the test email \(.*over quota.*\)\.$/);
    expect((await eve.send('POST', '/settings/mail/test')).status).toBe(403);

    mail.state.refuses = undefined;
    // Its next attempt is due in half a minute: simulates that the time has passed.
    const { sql } = test.api.context;
    const [pause] = await sql<{ s: number }[]>`
      SELECT extract(epoch FROM next_attempt_at - now())::float8 AS s FROM outgoing_mail WHERE sent_at IS NULL`;
    expect(pause?.s).toBeGreaterThan(15);
    expect(pause?.s).toBeLessThanOrEqual(30);
    await sql`UPDATE outgoing_mail SET next_attempt_at = now() WHERE sent_at IS NULL`;
    await expect.poll(() => mailsAbout(lot).length).toBe(1);
    await expect.poll(status).toMatchObject({ waiting: 0, problem: null, last_sent_at: expect.any(String) });
  });

  it('alert mail: is given up after a day with an error in the status', async () => {
    mail.state.refuses = 'no';
    const { sql } = test.api.context;
    await sql`
      INSERT INTO outgoing_mail (id, created_at, recipients, subject, body)
      VALUES (gen_random_uuid(), now() - interval '25 hours', ${['a@example.com']}, 'Old news', 'x')`;
    await expect
      .poll(async () => (await admin.send<MailStatus>('GET', '/settings/mail')).body.problem)
      .toMatchObject({ subject: 'Old news', gave_up: true });
    expect(test.log()).toContain('mail failed permanently');
    mail.state.refuses = undefined;
  });

  it('test mail: reports the answer of the mail server', async () => {
    const sent = await admin.send<{ message: string }>('POST', '/settings/mail/test');
    expect(sent).toMatchObject({ status: 200, body: { message: `A test email was sent to ${testAdmin.email}.` } });
    expect(mailsAbout('Test email from the roastery').map(({ to }) => to)).toEqual([[testAdmin.email]]);
  });
});
