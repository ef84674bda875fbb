import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from 'playwright-core';
import { seriousAccessibilityFindings } from './accessibility.ts';
import { launchBrowser, openPage, SCREEN } from './browser.ts';

const PAGE = `<!doctype html><html lang="en"><title>Drum</title><main><h1>205 °C</h1><img src="/drum.png"></main></html>`;

describe('a browser with nothing installed', () => {
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

  it('draws text with the fonts that came along', async () => {
    await using watched = await openPage(browser, { viewport: SCREEN.phone });
    await watched.page.goto(address);
    const heading = await watched.page.getByRole('heading', { name: '205 °C' }).boundingBox();
    expect(heading?.width).toBeLessThanOrEqual(SCREEN.phone.width);
    const blank = await watched.page.screenshot({ clip: { x: 0, y: 400, width: 200, height: 60 } });
    const drawn = await watched.page.screenshot({ clip: { x: 0, y: 0, width: 200, height: 60 } });
    expect(drawn.length).toBeGreaterThan(blank.length);
  });

  it('remembers what a page complained about', async () => {
    await using watched = await openPage(browser);
    await watched.page.goto(address, { waitUntil: 'networkidle' });
    expect(watched.complaints.join('\n')).toContain('/drum.png');
  });

  it('finds a picture without a text under a strict policy', async () => {
    await using watched = await openPage(browser);
    await watched.page.goto(address);
    const findings = await seriousAccessibilityFindings(watched.page);
    expect(findings.map(({ rule }) => rule)).toEqual(['image-alt']);
  });
});
