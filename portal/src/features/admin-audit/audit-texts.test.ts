import { describe, expect, it } from 'vitest';
import { actionChoices, actionLabel, detailLines, subjectName } from './audit-texts.ts';

const entry = (detail: Record<string, unknown>, subject: string | null = '0193a1b2-0000-7000-8000-000000000000') => ({
  id: subject ?? '',
  at: '2026-11-21T07:40:00.000Z',
  actor: 'ada@example.org',
  action: 'lot.adjusted',
  subject,
  address: null,
  detail,
});

describe('texts of the audit log', () => {
  it('describe the event, also an unknown action', () => {
    expect(actionLabel('user.password_reset')).toBe('Reset a password');
    expect(actionLabel('machine.token_rotated')).toBe('Machine token rotated');
    expect(actionChoices('machine.token_rotated').at(-1)).toEqual({
      value: 'machine.token_rotated',
      label: 'Machine token rotated',
    });
  });

  it('name the subject', () => {
    expect(subjectName(entry({ kg: -2, lot_number: 'L-7' }))).toBe('L-7');
    expect(subjectName(entry({}))).toBe('0193a1b2');
    expect(subjectName(entry({}, null))).toBe('--');
    expect(subjectName({ ...entry({}), action: 'sign_in.succeeded' })).toBe('--');
  });

  it('list the details', () => {
    expect(detailLines({ is_admin: true, fields: ['city', 'email'], note: null, kg: -2.5 })).toEqual([
      ['Is admin', 'yes'],
      ['Fields', 'city, email'],
      ['Note', 'none'],
      ['Weight', '-2.5 kg'],
    ]);
  });
});
