import type { AuditEntry } from '@roastery/contract/users';

/** Labels of the events, in the order of the filter. */
const words: Readonly<Record<string, string>> = {
  'sign_in.succeeded': 'Signed in',
  'sign_in.failed': 'Failed to sign in',
  sign_out: 'Signed out',
  'session.ended': 'Ended a session',
  'password.changed': 'Changed the password',
  'user.created': 'Created a user',
  'user.updated': 'Changed a user',
  'user.password_reset': 'Reset a password',
  'user.first_admin_created': 'First administrator created',
  'machine.registered': 'Registered a machine',
  'machine.updated': 'Changed a machine',
  'machine.archived': 'Archived a machine',
  'machine.deleted': 'Deleted a machine',
  'machine.probed': 'Read a machine’s registers',
  'machine.board_configured': 'Changed map or settings of a board',
  'machine_map.created': 'Added a machine map',
  'machine_map.saved': 'Changed a machine map',
  'board.refused': 'Board refused',
  'pairing.issued': 'Issued a pairing ticket',
  'pairing.viewed': 'Viewed a pairing ticket',
  'pairing.downloaded': 'Downloaded a pairing ticket',
  'pairing.failed': 'Failed to pair a board',
  'pairing.blocked': 'Blocked attempts to pair',
  'pairing.redeemed': 'Paired a board',
  'pairing.repeated': 'Repeated a pairing request',
  'pairing.confirmed': 'Board confirmed its pairing',
  'pairing.revoked': 'Revoked a pairing ticket',
  'credential.rotated': 'Rotated a machine token',
  'credential.ended': 'Machine token ended',
  'credential.revoked': 'Revoked a board',
  'roast.deleted': 'Deleted a roast',
  'roast.made': 'Created a roast from a recording',
  'roast.split': 'Split a roast',
  'roast.merged': 'Merged two roasts',
  'roast.discarded': 'Discarded a roast',
  'roast.restored': 'Restored a roast',
  'roast.mark_set': 'Set a mark',
  'roast.mark_taken_back': 'Removed a mark',
  'lot.created': 'Added a lot',
  'lot.updated': 'Changed a lot',
  'lot.adjusted': 'Adjusted a weight',
  'lot.archived': 'Archived a lot',
  'lot.deleted': 'Deleted a lot',
  'recipe.created': 'Created a recipe',
  'recipe.updated': 'Changed a recipe',
  'recipe.reference_chosen': 'Chose a recipe’s reference roast',
  'recipe.cloned': 'Cloned a recipe',
  'recipe.deleted': 'Deleted a recipe',
  'roastery.changed': 'Changed the roastery info',
  'option.created': 'Added an option',
  'option.deleted': 'Deleted an option',
  'option.defaults_seeded': 'Seeded defaults',
};

/** An action without a label: `machine.token_rotated` → Machine token rotated. */
export const actionWords = (action: string): string => {
  const plain = action.replaceAll(/[._]/g, ' ');
  return words[action] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** The choices of the filter, with an unknown one of the address. */
export const actionChoices = (current: string): { value: string; label: string }[] => {
  const actions = Object.keys(words);
  if (current !== '' && !actions.includes(current)) actions.push(current);
  return [{ value: 'all', label: 'All events' }, ...actions.map((value) => ({ value, label: actionWords(value) }))];
};

const names = ['email', 'full_name', 'lot_number', 'serial_number', 'display_name', 'name', 'value', 'coffee_name'];

/** Events in which the person acts on their own account: the subject is the actor. */
const isOwnDoing = (action: string): boolean => /^(?:sign_|session\.|password\.)/.test(action);

/** Name of the subject where the entry has one, else the beginning of its id. */
export const subjectName = ({ action, subject, detail }: AuditEntry): string => {
  for (const name of names) {
    const value = detail[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return subject === null || isOwnDoing(action) ? '--' : subject.slice(0, 8);
};

export const isFailure = (action: string): boolean => /\.(failed|refused)$/.test(action);
export const isDeletion = (action: string): boolean => /\.(deleted|archived|revoked)$/.test(action);

/** `is_active` → Is active; values as text. */
export const detailLines = (detail: AuditEntry['detail']): [label: string, value: string][] =>
  Object.entries(detail).map(([name, value]) => [
    name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
    valueText(value),
  ]);

const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
};
