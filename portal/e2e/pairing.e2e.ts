import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { getPairing, reissuePairingTicket } from '@roastery/contract/fleet';
import { deleteMachine, getMachine, listMachines } from '@roastery/contract/machines';
import { getTimeline } from '@roastery/contract/timeline';
import { listAudit } from '@roastery/contract/users';
import { createJournalBoard } from '@roastery/testing/journal-board';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { hurriedClock } from '@roastery/testing/shared-data';
import { shipJournal } from '@roastery/testing/ship-journal';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

const program = path.resolve(import.meta.dirname, '../../device-agent/dist/main.js');
let roastery: TestRoastery;
let ana: RoasteryClient;
let folder: string;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  folder = await mkdtemp(path.join(tmpdir(), 'pairing-e2e-'));
});
afterAll(async () => {
  await roastery[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The real program, as a process. */
const deviceAgent = (args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'], ...env } });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  child.stderr.on('data', (data) => (output += String(data)));
  const exit = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  return {
    exit,
    output: () => output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
};
const pairCommand = (ticket: string, api: string, configDir: string): string[] => [
  'pair',
  ticket,
  '--api',
  api,
  '--config-dir',
  configDir,
];
const tokenIn = async (configDir: string) => parseEnv(await readFile(path.join(configDir, 'agent.env'), 'utf8'));

/** A map of an unreachable machine: the board is online all the same and reports it. */
const writeMap = async (): Promise<string> => {
  const file = path.join(folder, 'map.json');
  const map = {
    v: 1,
    id: 'absent',
    maker: 'Test',
    model: 'Test',
    link: { kind: 'tcp', host: '127.0.0.1', port: 9 },
    channels: { bean_temp: { at: 'h:6' } },
  };
  await writeFile(file, JSON.stringify(map));
  return file;
};

/** A connection to the server that drops the response of each request, entirely or from the given byte on. */
const openSwallowingLine = async (target: string, passBytes: number) => {
  let swallowed = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    client.pipe(upstream);
    upstream.once('data', (answer: Buffer) => {
      swallowed += 1;
      client.end(answer.subarray(0, passBytes), () => client.destroy());
      upstream.destroy();
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallowed: () => swallowed,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  };
};

describe('pairing a board', () => {
  it('from the ticket to the live board: the owner sees it live, an admin revokes it [P3]', async () => {
    await using watched = await roastery.openAs(ana);
    const { page } = watched;
    await page.goto('/machines/register');
    await page.getByLabel('Serial Number').fill('RM30 77');
    await page.getByLabel('Display Name').fill('Big Drum');
    await page.getByRole('button', { name: /^Register/ }).click();
    await page.getByText('Waiting for the board to be paired').waitFor();
    const ticket = (await page.getByText(/^PAIR-[A-Z-]{14}$/).innerText()).trim();
    const configDir = path.join(folder, 'etc board');

    await using pairing = deviceAgent(pairCommand(ticket, roastery.stack.url, configDir));
    expect([await pairing.exit, pairing.output()]).toEqual([0, expect.stringMatching(/Paired with Big Drum/)]);
    await page.getByText(/^Paired .*from 127\.0\.0\.1/).waitFor();
    const [machine] = await ana.call(listMachines, { query: {} });
    if (machine === undefined) throw new Error('the machine is not registered');
    expect((await ana.call(getPairing, { params: { id: machine.id } })).ticket?.state).toBe('confirmed');

    await using agent = deviceAgent(['run', '--env-file', path.join(configDir, 'agent.env')], {
      MACHINE_MAP: await writeMap(),
      DATA_DIR: path.join(folder, 'data'),
    });
    await using desk = await roastery.openAs(roastery.admin);
    await desk.page.goto('/admin/devices');
    const row = desk.page.getByRole('row', { name: /Big Drum/ });
    await row.getByText('Online').waitFor();
    await row.getByText('No answer from machine').waitFor();
    await expect.poll(() => row.innerText()).toContain('absent · rev 1');
    await expect.poll(() => row.innerText()).toContain(anaRestrepo.full_name);

    await desk.page.getByRole('button', { name: 'Actions for Big Drum' }).click();
    await desk.page.getByRole('menuitem', { name: 'Revoke' }).click();
    await desk.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const isOffline = async () => (await ana.call(getMachine, { params: { id: machine.id } })).connection === 'offline';
    await until('the board to be out', isOffline, { timeoutMs: 60_000, everyMs: 50 });
    await row.getByText('No credential').waitFor();
    await row.getByText('Ended').waitFor();
    await until(
      'the board to be refused',
      () => agent.output().includes('not accepted') || /refus|authori/i.test(agent.output()),
      {
        timeoutMs: 60_000,
      },
    );
    await expect.poll(isOffline).toBe(true);

    await desk.page.getByRole('tab', { name: 'Pairing tickets' }).click();
    const ticketRow = desk.page.getByRole('row', { name: /Big Drum/ });
    await ticketRow.getByText(/127\.0\.0\.1 · /).waitFor();
    const { entries } = await roastery.admin.call(listAudit, { query: { limit: 50, q: machine.id } });
    const actions = entries.map(({ action }) => action);
    for (const action of ['issued', 'viewed', 'redeemed', 'confirmed']) expect(actions).toContain(`pairing.${action}`);
    expect(actions).toContain('credential.revoked');
    expect(JSON.stringify(entries)).not.toContain(ticket.slice('PAIR-'.length));
    expect([...watched.complaints, ...desk.complaints]).toEqual([]);
  });

  it.each([
    ['the answer', 0],
    ['half the answer', 60],
  ])('lost %s and was killed: repeating the command pairs it, with one valid credential', async (what, passBytes) => {
    const machine = await register(ana, `RM7 ${passBytes}`, `Lost ${what}`, 'RM7');
    const ticket = `PAIR-${machine.pairing_code}`;
    const configDir = path.join(folder, `etc ${passBytes}`);
    // The same address both times: a pending secret belongs to a ticket at a server.
    await using line = await openSwallowingLine(roastery.stack.url, passBytes);
    await using first = deviceAgent(pairCommand(ticket, line.url, configDir));
    await until('the answer to be lost', () => line.swallowed() > 0 && first.output().includes('retrying in'));
    first.kill('SIGKILL');
    await first.exit;
    expect(await readdir(configDir)).toEqual(['pairing.json']);
    const { secret } = JSON.parse(await readFile(path.join(configDir, 'pairing.json'), 'utf8')) as { secret: string };
    expect((await ana.call(getPairing, { params: { id: machine.id } })).ticket?.state).toBe('paired');

    const pending = path.join(configDir, 'pairing.json');
    const text = await readFile(pending, 'utf8');
    await writeFile(pending, text.replace(line.url, roastery.stack.url));
    await using second = deviceAgent(pairCommand(ticket, roastery.stack.url, configDir));
    expect([await second.exit, second.output()]).toEqual([0, expect.stringMatching(/Paired with Lost/)]);
    expect((await tokenIn(configDir))['MACHINE_TOKEN']).toBe(secret);
    const call = (token: string) =>
      fetch(`${roastery.stack.apiUrl}/devices/me`, {
        headers: { authorization: `Bearer ${token}`, 'x-machine-serial': machine.serial_number },
      });
    expect((await call(secret)).status).toBe(200);
    expect((await call(machine.auth_token)).status).toBe(401);
  });

  it('waits for the limit of five attempts a minute, then gives an instruction for an invalid ticket', async () => {
    const machine = await register(ana, 'RM15 1', 'Old ticket', 'RM15');
    await ana.call(reissuePairingTicket, { params: { id: machine.id } });
    const guess = { code: 'BCDF-GHJK-MNPQ', secret_hash: 'a'.repeat(64), hardware_id: 'none', agent_version: '1.0.0' };
    const attempt = () =>
      fetch(`${roastery.stack.apiUrl}/devices/pair`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(guess),
      });
    await until('the limit of this address', async () => (await attempt()).status === 429);
    await using late = deviceAgent(
      pairCommand(`PAIR-${machine.pairing_code}`, roastery.stack.url, path.join(folder, 'late')),
      // Its clock runs ten times as fast: it waits a minute in six seconds.
      { NODE_OPTIONS: hurriedClock(10) },
    );
    await until('the program to wait', () => late.output().includes('too many attempts'), { timeoutMs: 30_000 });
    const sql = postgres(roastery.stack.databaseUrl, { max: 1 });
    await sql`UPDATE sign_in_limits SET expire = 0`;
    await sql.end();
    expect(await late.exit).toBe(3);
    expect(late.output()).toMatch(/The ticket was not accepted\. .*ask the owner of the machine .* for a new ticket/);
  });

  it('an admin rotates a token and both work; revokes a ticket and issues another', async () => {
    const machine = await register(ana, 'RM30 2', 'Second Drum');
    await using desk = await roastery.openAs(roastery.admin);
    const { page } = desk;
    await page.goto('/admin/devices?q=Second');
    await page.getByRole('button', { name: 'Actions for Second Drum' }).click();
    await page.getByRole('menuitem', { name: 'Rotate token' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const line = await page.getByText(/^MACHINE_TOKEN=/).innerText();
    await page.getByText(/The previous token works until/).waitFor();
    for (const token of [machine.auth_token, line.replace('MACHINE_TOKEN=', '')]) {
      const headers = { authorization: `Bearer ${token}`, 'x-machine-serial': machine.serial_number };
      expect((await fetch(`${roastery.stack.apiUrl}/devices/me`, { headers })).status).toBe(200);
    }
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('tab', { name: 'Pairing tickets' }).click();
    await page.getByRole('button', { name: 'Actions for Second Drum' }).click();
    await page.getByRole('menuitem', { name: 'Revoke ticket' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page
      .getByRole('row', { name: /Second Drum/ })
      .getByText('Revoked')
      .waitFor();
    await page.getByRole('button', { name: 'Actions for Second Drum' }).click();
    await page.getByRole('menuitem', { name: 'Reissue' }).click();
    await page.getByText('The ticket was revoked').waitFor();
    await page.getByRole('button', { name: 'Issue a new ticket' }).click();
    await page.getByText('Waiting for the board to be paired').waitFor();
    await expect.poll(() => page.getByText(/^PAIR-/).innerText()).not.toContain(machine.pairing_code);
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /Second Drum/ })
      .getByText('Pending')
      .waitFor();
    expect(desk.complaints).toEqual([]);
  });

  it('shows the fleet to admins only', async () => {
    await using watched = await roastery.openAs(ana);
    await watched.page.goto('/admin/devices');
    await watched.page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => watched.page.getByText('Pairing tickets').count()).toBe(0);
    await expect.poll(() => watched.page.getByRole('link', { name: 'Devices' }).count()).toBe(0);
  });
});

describe('history for an earlier server or machine', () => {
  it('stays sealed on the board until an admin restores it in Devices', async () => {
    const recorded = async (id: string) => {
      const { first_at: first, last_at: last } = await ana.call(getTimeline, { params: { id } });
      return first !== null && last !== null ? { first, ms: Date.parse(last) - Date.parse(first) } : undefined;
    };
    const serial = 'RM15 11';
    const name = 'Moved Drum';
    const still = { serial, start: 'cold', isAutomatic: false, hz: 10 } as const;
    const before = await register(ana, serial, name, 'RM15');
    const board = await roastery.stack.startMachine({ ...still, token: before.auth_token });
    await until('samples of the first machine', async () => ((await recorded(before.id))?.ms ?? 0) > 3000, {
      timeoutMs: 30_000,
    });
    const first = (await recorded(before.id))?.first ?? '';
    await board.stop();
    await ana.call(deleteMachine, { params: { id: before.id } });

    const anew = await register(ana, serial, name, 'RM15');
    const registeredAt = Date.now();
    const again = await roastery.stack.startMachine({ ...still, token: anew.auth_token });
    await using desk = await roastery.openAs(roastery.admin);
    const { page } = desk;
    await page.goto(`/admin/devices?q=${encodeURIComponent(serial)}`);
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.getByText('History sealed').waitFor();
    const ofNow = await until('samples of the second machine', () => recorded(anew.id), { timeoutMs: 30_000 });
    expect(Date.parse(ofNow.first)).toBeGreaterThan(registeredAt);

    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Restore history' }).click();
    const question = page.getByRole('alertdialog', { name: 'Restore history' });
    await question.getByText(/holds [\d,]+ entries from .* who will see these roasts\.$/).waitFor();
    await question.getByText(new RegExp(`belong to ${anaRestrepo.full_name}`)).waitFor();
    await question.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText(`The board of ${name} sends its history`).waitFor();
    // A later batch may measure the offset of the boot's clock a millisecond differently.
    const isRestored = async () =>
      Math.abs(Date.parse((await recorded(anew.id))?.first ?? '') - Date.parse(first)) < 100;
    await until('the history', isRestored, { timeoutMs: 30_000 });
    await row.getByText('History sealed').waitFor({ state: 'detached', timeout: 40_000 });
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Rotate token' }).waitFor();
    await expect.poll(() => page.getByRole('menuitem', { name: 'Restore history' }).count()).toBe(0);
    await again.stop();
    const { entries } = await roastery.admin.call(listAudit, { query: { limit: 50, q: anew.id } });
    expect(entries.map(({ action }) => action)).toContain('history.restored');
    expect(desk.complaints).toEqual([]);
  });

  it('a ticket is found by its ID as typed', async () => {
    await register(ana, 'RM7 31', 'Other Drum', 'RM7');
    const { pairing_code: code } = await register(ana, 'RM7 32', 'Sought Drum', 'RM7');
    await using desk = await roastery.openAs(roastery.admin);
    const { page } = desk;
    await page.goto('/admin/devices');
    await page.getByRole('tab', { name: 'Tickets' }).click();
    const rows = page.getByRole('table', { name: 'Pairing tickets' }).getByRole('row');
    await rows.filter({ hasText: 'Other Drum' }).waitFor();
    await page.getByLabel('Search devices').fill(`pair ${code.toLowerCase().replaceAll('-', ' ')}`);
    await rows.filter({ hasText: 'Other Drum' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Sought Drum' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
  });

  it('an unreadable message is in the quarantine: the reason, a replay that is refused, and its discard', async () => {
    const machine = await register(ana, 'RM7 9', 'Garbled Drum', 'RM7');
    const journal = createJournalBoard();
    journal.sample(0, 180, 200, 60);
    const batches = journal.batches().map((batch) => ({ ...batch, boot: 'no boot' }));
    await shipJournal(roastery.stack.mqttUrl, { serial: machine.serial_number, token: machine.auth_token }, batches);

    await using desk = await roastery.openAs(roastery.admin);
    const { page, complaints } = desk;
    await page.goto('/admin/devices');
    await page.getByRole('tab', { name: 'Quarantine' }).click();
    const row = page.getByRole('row', { name: /Garbled Drum/ });
    await row.getByText(/boot/).waitFor();
    await page.getByRole('button', { name: 'Actions for RM7 9' }).click();
    await page.getByRole('menuitem', { name: 'Replay' }).click();
    await page.getByRole('alert').getByText(/boot/).waitFor();
    expect(complaints.filter((line) => !line.includes('409'))).toEqual([]);
    await page.getByRole('button', { name: 'Actions for RM7 9' }).click();
    await page.getByRole('menuitem', { name: 'Discard' }).click();
    const question = page.getByRole('alertdialog', { name: 'Discard message' });
    await question.getByText(/^The message of Garbled Drum is deleted permanently\./).waitFor();
    await question.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByText('No messages in quarantine').waitFor();
  });
});
