import { readFileSync } from 'node:fs';
import {
  ackShape,
  configShape,
  journalBatchShape,
  liveReadingShape,
  statusShape,
  type Ack,
  type DeviceStatus,
} from '@roastery/contract/mqtt';
import { parseShape } from '@roastery/contract/parse-shape';
import { probeMessageShape, probeRequestShape } from '@roastery/contract/probe';
import { plansShape } from '@roastery/contract/roast-plan';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { keysAt, withUnknownFields } from './unknown-fields.ts';

/**
 * Every message that an agent and an api of commit f7cf7b7 sent to each other, recorded from their processes while a
 * simulated roast ran (the gap by hand, by its shapes). They are never changed: boards in the field send and read exactly this.
 */
const recorded = JSON.parse(readFileSync(new URL('f7cf7b7.json', import.meta.url), 'utf8')) as Record<string, object>;

const shapes: Readonly<Record<string, z.ZodType>> = {
  journal: journalBatchShape,
  live: liveReadingShape,
  status: statusShape,
  probed: probeMessageShape,
  ack: ackShape,
  config: configShape,
  plan: plansShape,
  probe: probeRequestShape,
};
const shapeOf = (name: string): z.ZodType => {
  const shape = shapes[name.split('-')[0] ?? ''];
  if (shape === undefined) throw new Error(`no shape for ${name}`);
  return shape;
};
const messages = Object.entries(recorded).map(([name, message]) => ({ name, message, shape: shapeOf(name) }));
/** Messages of which an old reader refused those with an unknown field or value. */
const strictThen = messages.filter(({ name }) => /^(?:journal|live|probe|probed)-/.test(name));

/** Old fields that a recorded message may lack. */
const optionalThen = ['plan_id'];
/**
 * Fields that a reader of f7cf7b7 never receives. `link` goes to boards whose status says that they have no machine map, and such an
 * agent did not run without one; `api/src/live/probe.system.test.ts` shows that no other board receives it. `continues` goes to
 * servers that have stated the owner of a stream, which such a server never did; see `device-agent/src/journal/memory-stream.test.ts`.
 */
const neverReceived = (name: string): readonly string[] => {
  if (name === 'probe-look' || name === 'probe-find') return ['link'];
  return name.startsWith('journal-') ? ['continues'] : [];
};

describe('wire compatibility', () => {
  it('has a recorded message of every topic and kind of event', () => {
    expect(new Set(messages.map(({ name }) => name.split('-')[0]))).toEqual(new Set(Object.keys(shapes)));
    expect(Object.keys(recorded)).toEqual(
      expect.arrayContaining(['journal-samples', 'journal-start', 'journal-gap', 'journal-roast-completed', 'plan-1']),
    );
  });

  it.each(messages)('reads $name of commit f7cf7b7 in full', ({ message, shape }) => {
    expect(parseShape(shape, message).data).toEqual(message);
  });

  it.each(messages)('ignores an unknown field at any position of $name', ({ message, shape }) => {
    const changed = withUnknownFields(message);
    expect(changed.length).toBeGreaterThan(0);
    for (const { place, value } of changed) expect(parseShape(shape, value).data, place).toEqual(message);
  });

  it('keeps a status whose newer field has an unknown value', () => {
    const message = recorded['status-online-ok'] as DeviceStatus;
    for (const field of Object.keys(message).filter((key) => !['v', 'online', 'session', 't'].includes(key))) {
      const read = parseShape(statusShape, { ...message, [field]: { newer: 'meaning' } }).data;
      expect(read, field).toMatchObject({ online: message.online, session: message.session });
    }
  });

  it.each(strictThen)(
    'adds no field to $name that a reader of commit f7cf7b7 would refuse',
    ({ name, message, shape }) => {
      for (const { place, keys, possible } of keysAt(shape, message)) {
        const excepted = [...optionalThen, ...neverReceived(name)];
        const added = possible.filter((key) => !keys.includes(key) && !excepted.includes(key));
        expect(added, `${name} ${place}`).toEqual([]);
      }
    },
  );

  it('allows an older agent to read a statement as an acknowledgement', () => {
    const [batch] = (() => {
      const board = createJournalBoard();
      board.sample(0, 1, 2, 3);
      return board.batches();
    })();
    const statement: Ack = {
      v: 1,
      epoch: batch?.epoch ?? '',
      ranges: [[0, 5]],
      through: Number.MAX_SAFE_INTEGER,
      owner: '0123456789abcdef',
      restore: true,
    };
    // Old readers of acks, statuses and plans were lenient: fields may be added, but none may be missing or change its
    // meaning.
    const old = recorded['ack-ranges'] as Ack;
    expect(Object.keys(statement)).toEqual(expect.arrayContaining(Object.keys(old)));
    expect({ ...old, epoch: statement.epoch, ranges: statement.ranges }).toEqual({
      v: statement.v,
      epoch: statement.epoch,
      ranges: statement.ranges,
    });
  });
});
