import type { BoardStatus, Concern } from './board-status.ts';

export interface ProgramRow {
  readonly label: string;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'poor';
}

/** What a board says of a program on its computer, which its readings come from instead of a machine. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly rows: readonly ProgramRow[];
  readonly concerns: readonly Concern[];
}

type Artisan = NonNullable<BoardStatus['artisan']>;
type ArtisanFiles = NonNullable<Artisan['files']>;

const tones = { starting: 'plain', ok: 'good', failing: 'poor' } as const;
const artisanStates = { starting: 'connecting', ok: 'sends readings', failing: 'sends no readings' } as const;

/** The results of Artisan's files as text: `12 imported, 1 refused, 2 waiting`. */
const filesSummary = (files: ArtisanFiles | null): string => {
  if (files === null) return 'off';
  const { sent, refused, waiting } = files;
  return [`${sent} imported`, refused > 0 ? `${refused} refused` : '', waiting > 0 ? `${waiting} waiting` : '']
    .filter((part) => part !== '')
    .join(', ');
};

const artisanRows = ({ live, files }: Artisan, { state, line }: BoardStatus['machine']): ProgramRow[] => [
  { label: 'Live', text: live ? `${artisanStates[state]} at ${line}` : 'off', tone: live ? tones[state] : 'plain' },
  { label: 'Files', text: filesSummary(files), tone: (files?.trouble ?? null) === null ? 'plain' : 'poor' },
  ...(files === null ? [] : [{ label: 'Folder', text: files.folder, tone: 'plain' } as const]),
  ...(files?.newest ?? []).flatMap(({ name, state: sending, reason = '' }): ProgramRow[] => {
    if (sending === 'sent') return [];
    const isRefused = sending === 'refused';
    return [
      { label: isRefused ? 'Refused' : 'Waiting', text: `${name}: ${reason}`, tone: isRefused ? 'poor' : 'plain' },
    ];
  }),
];

const artisanConcerns = ({ live, files }: Artisan, { state, detail }: BoardStatus['machine']): Concern[] => {
  const found: Concern[] = [];
  if (live && state === 'failing')
    found.push({
      urgency: 'trouble',
      says: `${detail ?? 'Artisan does not answer'}.`,
      todo: 'In Artisan: turn it on, and check WebLCDs under Config, Curves, UI. The agent retries automatically.',
    });
  if (live && state === 'ok' && detail !== null)
    found.push({ urgency: 'warning', says: `${detail}.`, todo: 'Check the probe and the device in Artisan.' });
  const trouble = files?.trouble ?? null;
  if (trouble !== null)
    found.push({
      urgency: 'warning',
      says: `Artisan’s files are not imported: ${trouble}.`,
      todo: 'The files stay where they are, and the agent retries automatically. ARTISAN_FOLDER names the folder.',
    });
  return found;
};

/** The program that the readings of this board come from; undefined for a machine. */
export const programOf = ({ artisan, machine }: BoardStatus): Program | undefined =>
  artisan === null
    ? undefined
    : {
        name: 'Artisan',
        summary: `${artisan.live ? `live at ${machine.line}` : 'not live'}, files: ${filesSummary(artisan.files)}`,
        rows: artisanRows(artisan, machine),
        concerns: artisanConcerns(artisan, machine),
      };
