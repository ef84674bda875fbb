import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { seriousAccessibilityFindings } from './accessibility.ts';
import { createPagePool, launchBrowser, openPage, SCREEN } from './browser.ts';

const PAGE = `<!doctype html><html lang="en"><title>Drum</title><main><h1>205 °C</h1><img src="/drum.png"></main></html>`;

describe('a browser without an installation', () => {
  let browser: Browser;
  const server = createServer((request, response) => {
    response.setHeader('content-security-policy', "default-src 'self'");
    if (request.url === '/') response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
    else response.writeHead(404).end();
  });
  let address: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it('draws text with the bundled fonts', async () => {
    await using watched = await openPage(browser, { viewport: SCREEN.phone });
    await watched.page.goto(address);
    const heading = await watched.page.getByRole('heading', { name: '205 °C' }).boundingBox();
    expect(heading?.width).toBeLessThanOrEqual(SCREEN.phone.width);
    const blank = await watched.page.screenshot({ clip: { x: 0, y: 400, width: 200, height: 60 } });
    const drawn = await watched.page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 60 } });
    expect(drawn.length).toBeGreaterThan(blank.length);
  });

  it('records the complaints of a page', async () => {
    await using watched = await openPage(browser);
    await watched.page.goto(address, { waitUntil: 'networkidle' });
    expect(watched.complaints.join('\n')).toContain('/drum.png');
  });

  it('finds an image without alternative text under a strict policy', async () => {
    await using watched = await openPage(browser);
    await watched.page.goto(address);
    const findings = await seriousAccessibilityFindings(watched.page);
    expect(findings.map(({ rule }) => rule)).toEqual(['image-alt']);
  });

  it('page pool: resets a page before it is used again in any size and theme, and discards one with a clock of a test', async () => {
    await using pool = createPagePool(browser, new URL(address).origin, '/');
    const first = await pool.open();
    await first.page.addInitScript(() => Object.assign(globalThis, { isOfTest: true }));
    await first.page.context().addCookies([{ name: 'session', value: 'x', url: address }]);
    await first.page.route('**/routed', (route) => route.fulfill({ status: 200, body: 'routed' }));
    await first.page.goto('/');
    await first.page.setViewportSize(SCREEN.phone);
    await first.page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await first.page.evaluate(() => {
      localStorage.setItem('kept', 'x');
      sessionStorage.setItem('kept', 'x');
    });
    await first.page.context().setOffline(true);
    let heard = 0;
    first.page.on('request', () => (heard += 1));
    await first.close();

    const second = await pool.open();
    expect(second.page).toBe(first.page);
    heard = 0;
    await second.page.goto('/');
    const state = await second.page.evaluate(async () => ({
      stored: localStorage.length + sessionStorage.length,
      cookies: document.cookie,
      isDark: matchMedia('(prefers-color-scheme: dark)').matches,
      isPrint: matchMedia('print').matches,
      width: innerWidth,
      isOfTest: 'isOfTest' in globalThis,
      routed: (await fetch('/routed')).status,
    }));
    const look = { isDark: false, isPrint: false, width: SCREEN.desk.width };
    const plain = { stored: 0, cookies: '', ...look, isOfTest: false, routed: 404 };
    expect([state, heard]).toEqual([plain, 0]);
    expect(second.complaints.filter((line) => !line.includes('404'))).toEqual([]);

    await second.close();
    const third = await pool.open({ viewport: SCREEN.phone, colorScheme: 'dark' });
    expect(third.page).toBe(second.page);
    const dark = await third.page.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]);
    expect(dark).toEqual([SCREEN.phone.width, true]);
    await third.page.clock.install();
    await third.close();
    await using fourth = await pool.open();
    expect(fourth.page).not.toBe(third.page);
  });
});
