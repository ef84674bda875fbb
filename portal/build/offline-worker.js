// Service worker: shows the portal without a server, from its files on this device and the last answers, each with its
// age. The build puts two lines before this text: `shellName`, a new one for each build, and `shellFiles`, the files of
// that build.
/* global shellName, shellFiles -- written by build/offline-shell.ts */

/** Shared with src/api/kept-answers.ts, which empties it on sign-out. */
const answersName = 'answers';
/** Header with the time of a stored answer, epoch milliseconds; src/api/call.ts reads it. */
const keptAtHeader = 'x-kept-at';
const mostAnswers = 200;
/** Old figures must not be taken for today's. */
const oldestAnswerMs = 24 * 3_600_000;
/** A network that answers too slowly must not delay the page longer than this. */
const pagePatienceMs = 6000;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(shellName)
      .then((shell) =>
        shell.addAll(
          shellFiles.map((path) => (path.startsWith('/assets/') ? path : new Request(path, { cache: 'reload' }))),
        ),
      ),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const old = (await caches.keys()).filter((name) => name.startsWith('shell-') && name !== shellName);
      await Promise.all(old.map((name) => caches.delete(name)));
      await self.clients.claim();
    })(),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith('/api/')) {
    if (isKept(request, url)) event.respondWith(answer(event));
  } else if (request.mode === 'navigate') event.respondWith(page(request));
  else if (url.pathname.startsWith('/assets/')) event.respondWith(asset(request));
  else if (shellFiles.includes(url.pathname)) event.respondWith(fetch(request).catch(() => asset(request)));
});

/**
 * What a page may read offline. Not the administration: users, boards and the audit log are not stored on the device.
 */
const isKept = (request, url) =>
  request.headers.get('accept') === 'application/json' && !url.pathname.startsWith('/api/v1/admin/');

const isGatewayTrouble = (status) => status === 502 || status === 504;

/** File names under assets/ contain a hash: their content never changes. */
const asset = async (request) => (await caches.match(request, { ignoreVary: true })) ?? fetch(request);

const shell = () => caches.match('/index.html', { ignoreVary: true });

const page = async (request) => {
  const late = new Promise((resolve) => setTimeout(resolve, pagePatienceMs)).then(shell);
  try {
    const response = await Promise.race([fetch(request), late.then((found) => found ?? new Promise(() => {}))]);
    return isGatewayTrouble(response.status) ? ((await shell()) ?? response) : response;
  } catch (error) {
    const found = await shell();
    if (found === undefined) throw error;
    return found;
  }
};

const answer = async (event) => {
  const { request } = event;
  const answers = await caches.open(answersName);
  let response;
  try {
    response = await fetch(request);
  } catch (error) {
    const kept = await keptAnswer(answers, request);
    if (kept === undefined) throw error;
    return kept;
  }
  if (isGatewayTrouble(response.status)) return (await keptAnswer(answers, request)) ?? response;
  const isJson = (response.headers.get('content-type') ?? '').startsWith('application/json');
  if (response.ok && isJson) event.waitUntil(keep(answers, request, response.clone()));
  else event.waitUntil(answers.delete(request, { ignoreVary: true }));
  return response;
};

const keptAnswer = async (answers, request) => {
  const kept = await answers.match(request, { ignoreVary: true });
  if (kept === undefined) return undefined;
  return Date.now() - Number(kept.headers.get(keptAtHeader)) < oldestAnswerMs ? kept : undefined;
};

const keep = async (answers, request, response) => {
  const headers = new Headers(response.headers);
  headers.set(keptAtHeader, String(Date.now()));
  await answers.put(request, new Response(await response.arrayBuffer(), { status: response.status, headers }));
  const all = await answers.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - mostAnswers)).map((oldest) => answers.delete(oldest)));
};

// Push messages of alarms: shown as notifications that open the machine's live view.
self.addEventListener('push', (event) => {
  let alarm;
  try {
    alarm = event.data.json();
  } catch {
    alarm = { title: 'Alarm', body: '', url: '/' };
  }
  const { title, body, tag, url } = alarm;
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      icon: '/icon.svg',
      vibrate: [300, 100, 300],
      requireInteraction: true,
      data: { url },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.url));
});

/** An open page that shows the live view, otherwise a new one. */
const open = async (url) => {
  const pages = await self.clients.matchAll({ type: 'window' });
  const shown = pages.find((client) => new URL(client.url).pathname === url);
  return shown === undefined ? self.clients.openWindow(url) : shown.focus();
};
