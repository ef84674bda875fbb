// Preloaded into a program (`node --import=file:///…/loop-alarm.mjs?ms=250`): whenever the event loop is blocked for
// longer than this, prints one JSON line on stderr with the delay, the CPU time of the thread, and the requests in
// progress.
import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const limitMs = Number(new URL(import.meta.url).searchParams.get('ms') ?? 250);
const beatMs = 20;

/** CPU time of this thread in milliseconds: on a busy computer the loop is late without doing any work. */
const ranMs = () => {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch (error) {
    if (error.code === 'ENOENT') return Number.NaN;
    throw error;
  }
};

const open = new Map();
let ended = [];
channel('http.server.request.start').subscribe(({ request, response }) => {
  const line = `#${request.headers['x-fuzz-id'] ?? ''} ${request.method} ${request.url.slice(0, 300)}`;
  open.set(request, line);
  response.once('close', () => {
    open.delete(request);
    ended.push(line);
  });
});

let last = { at: performance.now(), ran: ranMs() };
setInterval(() => {
  const now = { at: performance.now(), ran: ranMs() };
  const lateMs = now.at - last.at - beatMs;
  if (lateMs > limitMs) {
    const busyMs = Math.round(now.ran - last.ran);
    const requests = [...open.values(), ...ended].slice(0, 40);
    console.error(JSON.stringify({ loopAlarm: { lateMs: Math.round(lateMs), busyMs, requests } }));
  }
  last = now;
  ended = [];
}, beatMs).unref();
