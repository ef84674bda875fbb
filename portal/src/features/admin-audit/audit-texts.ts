import type { AuditEntry } from '@roastery/contract/users';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';

/** Labels of the events, in the order of the filter. */
const words: Readonly<Record<string, string>> = {
  'sign_in.succeeded': t`Signed in`,
  'sign_in.failed': t`Failed to sign in`,
  sign_out: t`Signed out`,
  'session.ended': t`Ended a session`,
  'pin.set': t`Set a PIN`,
  'pin.removed': t`Removed a PIN`,
  'pin.refused': t`Typed a wrong PIN of another person`,
  'pin.locked': t`Locked a PIN by wrong ones`,
  'password.changed': t`Changed the password`,
  'user.created': t`Created a user`,
  'user.updated': t`Changed a user`,
  'user.password_reset': t`Reset a password`,
  'user.first_admin_created': t`Created the first administrator`,
  'machine.registered': t`Registered a machine`,
  'machine.updated': t`Changed a machine`,
  'machine.archived': t`Archived a machine`,
  'machine.deleted': t`Deleted a machine`,
  'machine.probed': t`Read a machine’s registers`,
  'machine.map_updated': t`Updated a machine to the newest revision of its map`,
  'machine.channels_exchanged': t`Exchanged bean and exhaust temperature of a machine`,
  'machine.channels_confirmed': t`Confirmed bean and exhaust temperature of a machine`,
  'machine.board_configured': t`Changed map or settings of a board`,
  'machine_map.created': t`Added a machine map`,
  'machine_map.saved': t`Changed a machine map`,
  'machine_map.deleted': t`Deleted a machine map`,
  'board_update.ordered': t`Requested an update of a board`,
  'board_update.withdrawn': t`Withdrew an update request`,
  'board.refused': t`Refused a board`,
  'pairing.issued': t`Issued a pairing ticket`,
  'pairing.viewed': t`Viewed a pairing ticket`,
  'pairing.downloaded': t`Downloaded a pairing ticket`,
  'pairing.failed': t`Failed to pair a board`,
  'pairing.blocked': t`Blocked pairing attempts`,
  'pairing.redeemed': t`Paired a board`,
  'pairing.repeated': t`Repeated a pairing request`,
  'pairing.confirmed': t`Board confirmed its pairing`,
  'pairing.revoked': t`Revoked a pairing ticket`,
  'credential.rotated': t`Rotated a machine token`,
  'credential.ended': t`Machine token expired`,
  'credential.revoked': t`Revoked a board`,
  'recordings.channels_exchanged': t`Exchanged bean and exhaust in recordings`,
  'recordings.channels_right': t`Stated that bean and exhaust are right in recordings`,
  'recordings.channels_undone': t`Undid what was stated about bean and exhaust in recordings`,
  'history.restored': t`Restored a board’s history`,
  'quarantine.replayed': t`Replayed a quarantined message`,
  'quarantine.discarded': t`Discarded a quarantined message`,
  'quarantine.dropped': t`Dropped old quarantined messages`,
  'plan.created': t`Added a roast to the queue`,
  'plan.cancelled': t`Removed a roast from the queue`,
  'upload.created': t`Uploaded a roast file`,
  'upload.changed': t`Changed an uploaded file`,
  'roast.imported': t`Imported a roast`,
  'roast.read_again': t`Read a roast again from its file`,
  'roast.renumbered': t`Changed the number of an imported roast`,
  'roast.time_corrected': t`Corrected the time of an imported roast`,
  'roast.time_confirmed': t`Confirmed the time of an imported roast`,
  'roast.time_restored': t`Undid the check of an imported roast’s time`,
  'roast.file_joined': t`Attached Artisan’s file to a roast`,
  'roast.file_updated': t`Updated Artisan’s file of a roast`,
  'roast.logged': t`Logged a roast by hand`,
  'roast.updated': t`Changed a roast`,
  'roast.deleted': t`Deleted a roast`,
  'roast.made': t`Created a roast from a recording`,
  'roast.split': t`Split a roast`,
  'roast.merged': t`Merged two roasts`,
  'roast.discarded': t`Discarded a roast`,
  'roast.restored': t`Restored a roast`,
  'roast.mark_set': t`Set a mark`,
  'roast.mark_taken_back': t`Removed a mark`,
  'push.subscribed': t`Turned on alarms in a browser`,
  'push.unsubscribed': t`Turned off alarms in a browser`,
  'alarm_rule.created': t`Added an alarm`,
  'alarm_rule.changed': t`Changed an alarm`,
  'alarm_rule.deleted': t`Deleted an alarm`,
  'wall_link.created': t`Created a wall link`,
  'wall_link.opened': t`Opened a wall link`,
  'wall_link.revoked': t`Revoked a wall link`,
  'lot.created': t`Added a lot`,
  'lot.updated': t`Changed a lot`,
  'lot.adjusted': t`Adjusted a weight`,
  'lot.archived': t`Archived a lot`,
  'lot.deleted': t`Deleted a lot`,
  'blend.created': t`Created a blend`,
  'blend.updated': t`Changed a blend`,
  'blend.deleted': t`Deleted a blend`,
  'recipe.created': t`Created a recipe`,
  'recipe.updated': t`Changed a recipe`,
  'recipe.reference_chosen': t`Chose a recipe’s reference roast`,
  'recipe.cloned': t`Cloned a recipe`,
  'recipe.deleted': t`Deleted a recipe`,
  'roastery.changed': t`Changed the roastery info`,
  'mail.tested': t`Sent a test email`,
  'option.created': t`Added an option`,
  'option.deleted': t`Deleted an option`,
  'option.defaults_seeded': t`Seeded defaults`,
};

/** An action without a label: `machine.token_rotated` → Machine token rotated. */
export const actionLabel = (action: string): string => {
  const plain = action.replaceAll(/[._]/g, ' ');
  return words[action] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
};

/** The choices of the filter, with an unknown one of the address. */
export const actionChoices = (current: string): { value: string; label: string }[] => {
  const actions = Object.keys(words);
  if (current !== '' && !actions.includes(current)) actions.push(current);
  return [{ value: 'all', label: t`All events` }, ...actions.map((value) => ({ value, label: actionLabel(value) }))];
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

const weightNames: ReadonlySet<string> = new Set(['kg', 'initial_weight']);

/** `is_active` → Is active; values as text. */
export const detailLines = (detail: AuditEntry['detail']): [label: string, value: string][] =>
  Object.entries(detail).map(([name, value]) => [
    name === 'kg' ? t`Weight` : name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
    weightNames.has(name) && typeof value === 'number' ? exactWeight(value) : valueText(value),
  ]);

const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
};
