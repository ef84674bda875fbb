import { statusPageStyle } from './status-page-style.ts';
import { updateSummary } from '../update/update-state.ts';
import type { BoardStatus, Concern } from './board-status.ts';
import { programOf } from './programs.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** `7 s`, `4 min`, `3 h 12 min`, `5 days`: as precise as needed. */
export const spanOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
};

const sizeOf = (bytes: number): string =>
  bytes < 1_048_576
    ? `${Math.ceil(bytes / 1024)} KiB`
    : bytes < 10 * 1_073_741_824
      ? `${Math.round(bytes / 1_048_576)} MiB`
      : `${Math.round(bytes / 1_073_741_824)} GiB`;

/** How readings are sent between roasts; nothing where each is sent at once. */
export const paceOf = (everySeconds: number): string => (everySeconds > 1 ? `, sent every ${everySeconds} s` : '');

const counted = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

/** `bean_temp` → `Bean temp`. */
const labelOf = (channel: string): string => {
  const words = channel.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const shown = (value: number | null, unit: string): string => {
  if (value === null) return '--';
  if (unit === 'bool') return value === 0 ? 'off' : 'on';
  return unit === '%' || Math.abs(value) >= 1000 ? String(Math.round(value)) : value.toFixed(1);
};

const minutesAndSeconds = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** In UTC with its name: the board's own time zone is rarely set. */
const moment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const row = (label: string, value: string, state: 'good' | 'poor' | 'plain' = 'plain'): string =>
  `<div class="row"><dt>${label}</dt><dd class="${state}">${escaped(value)}</dd></div>`;

const tile = ({ channel, value, unit }: BoardStatus['values'][number], stale: boolean): string =>
  `<li class="tile${stale || value === null ? ' stale' : ''}"><span class="label">${escaped(labelOf(channel))}</span>
<span class="figure">${shown(value, unit)}<small>${unit === 'bool' ? '' : escaped(unit)}</small></span></li>`;

const concernBox = ({ urgency, says, todo }: Concern): string =>
  `<li class="${urgency}"><strong>${escaped(says)}</strong><span>${escaped(todo)}</span></li>`;

const machineStateTexts = { starting: 'connecting', ok: 'answers', failing: 'does not answer' } as const;

const headline = (board: BoardStatus, concerns: readonly Concern[]): { text: string; state: string } => {
  if (concerns.some(({ urgency }) => urgency === 'trouble')) return { text: 'Needs attention', state: 'trouble' };
  const text = board.roast.running === null ? 'Ready' : 'Roasting';
  return { text, state: concerns.length === 0 ? 'good' : 'warning' };
};

const roastRows = ({ running, last }: BoardStatus['roast']): string =>
  row(
    'Roast',
    running === null ? 'none now' : `running for ${minutesAndSeconds(running.seconds)}`,
    running === null ? 'plain' : 'good',
  ) + row('Last roast', last === null ? 'none since the start' : `${last.state} at ${moment(last.ended_at)}`);

const planRows = (plan: BoardStatus['plan']): string => {
  if (plan === null) return row('Plan', 'none');
  const settings = plan.settings ?? 'no control profile';
  return [
    row('Plan', plan.is_running ? plan.name : `${plan.name}, waits for its charge`),
    row(plan.is_running ? 'As planned' : 'Starts with', settings),
    plan.step === null ? '' : row('Next step', plan.step),
    ...plan.deviations.map((deviation) => row('Deviation', deviation, 'poor')),
  ].join('');
};

const titleOf = (board: BoardStatus): string => {
  const program = programOf(board);
  if (program !== undefined) return `${program.name} on this computer`;
  return board.map === null ? '' : `${board.map.maker} ${board.map.model}`;
};

const linkTone = { starting: 'plain', ok: 'good', failing: 'poor' } as const;
const sourceRows = (board: BoardStatus): string => {
  const program = programOf(board);
  if (program !== undefined) return program.rows.map(({ label, text, tone }) => row(label, text, tone)).join('');
  const { map, machine } = board;
  const line = map === null ? 'not known' : `${machineStateTexts[machine.state]} at ${machine.line}`;
  const name = map === null ? 'none yet' : `${map.id}, revision ${map.rev}`;
  return row('Line', line, linkTone[machine.state]) + row('Map', name, map === null ? 'poor' : 'plain');
};

/** A failed update is already among the concerns. */
const updateRow = (update: BoardStatus['update']): string => {
  const words = updateSummary(update);
  return words === undefined || words.todo !== undefined ? '' : row('Update', words.says);
};

/** Only where a board chooses between several. */
const brokerRows = ({ broker, brokers }: BoardStatus['uplink']): string =>
  brokers.length < 2
    ? ''
    : `${row('Broker', broker ?? 'none yet')}
${row('Other brokers', brokers.filter((other) => other !== broker).join(', '))}`;

/** The whole page. It reloads every few seconds by itself, without any script. */
export const renderStatusPage = (board: BoardStatus, concerns: readonly Concern[]): string => {
  const { machine, uplink, journal, clock, disk } = board;
  const { text, state } = headline(board, concerns);
  const stale = machine.state !== 'ok';
  const age = board.values_age_ms === null ? 'no reading yet' : `read ${spanOf(board.values_age_ms)} ago`;
  const offset =
    clock.server_offset_ms === null ? '' : `, ${spanOf(Math.abs(clock.server_offset_ms))} from the server’s clock`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="refresh" content="3"><meta name="color-scheme" content="light dark">
<title>${escaped(board.machine_serial)} · ${text}</title><style>${statusPageStyle}</style></head>
<body><main>
<header><div><h1>${escaped(board.machine_serial)}</h1><p>${escaped(titleOf(board))}</p></div>
<span class="badge ${state}">${text}</span></header>
${concerns.length === 0 ? '' : `<ul class="concerns">${concerns.map(concernBox).join('')}</ul>`}
<section aria-labelledby="values"><h2 id="values">Values <small>${age}</small></h2>
${board.values.length === 0 ? '<p class="empty">No reading yet.</p>' : `<ul class="tiles">${board.values.map((value) => tile(value, stale)).join('')}</ul>`}
</section>
<div class="columns"><section aria-labelledby="machine"><h2 id="machine">Machine</h2><dl>
${sourceRows(board)}
${roastRows(board.roast)}
${planRows(board.plan)}
</dl></section>
<section aria-labelledby="roastery"><h2 id="roastery">Roastery</h2><dl>
${row('Server', board.api_url)}
${row('Connection', `${uplink.connected ? 'connected' : 'not connected'} for ${spanOf(board.now - uplink.since)}`, uplink.connected ? 'good' : 'poor')}
${brokerRows(uplink)}
${row('Journal', `${counted(journal.entries_waiting)} not confirmed yet${paceOf(journal.send_every_seconds)}, ${sizeOf(journal.bytes)}`)}
</dl></section>
<section aria-labelledby="board"><h2 id="board">Board</h2><dl>
${row('Clock', `${moment(board.now)}, ${clock.synced ? 'set' : 'not set'}${offset}`, clock.synced ? 'good' : 'poor')}
${row('Disk', disk.free_bytes === null ? 'does not answer' : `${sizeOf(disk.free_bytes)} free`)}
${row('Agent', `${board.agent_version}, running for ${spanOf(board.now - board.started_at)}`)}
${updateRow(board.update)}
</dl></section></div>
<footer>In case of a problem, <code>sudo device-agent doctor</code> finds the cause and says how to fix it.</footer>
</main></body></html>
`;
};
