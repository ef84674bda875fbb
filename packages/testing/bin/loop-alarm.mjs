// Loaded before a program (`node --import=file:///…/loop-alarm.mjs?ms=250`): whenever the event loop was late by more than
// that, one JSON line on stderr says how late, how long its thread really ran, and which requests it was serving.
import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

const limitMs = Number(new URL(import.meta.url).searchParams.get('ms') ?? 250);
const beatMs = 20;

/** Milliseconds that this thread has run on a processor: a busy machine delays a loop that does nothing. */
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
