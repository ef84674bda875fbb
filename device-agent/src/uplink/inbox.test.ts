import { topicKinds, topicOf } from '@roastery/contract/mqtt';
import { describe, expect, it } from 'vitest';
import { createInbox, type InboxParts } from './inbox.ts';

const hostile = [
  '',
  '{',
  'null',
  '[]',
  '{"length":{"toString":1}}',
  '{"v":1,"epoch":{"length":{"toString":1}},"ranges":{"length":{"toString":1}}}',
  '{"v":1,"rev":1,"map":{"length":{"toString":1}},"settings":{"host":{"length":{"toString":1}}}}',
  '{"v":1,"plans":{"length":{"toString":1}}}',
  '{"v":1,"plans":[{"id":{"length":{"toString":1}},"coffee_name":{"length":{"toString":1}}}]}',
  '{"v":1,"do":"look","id":{"length":{"toString":1}},"wish":{"units":{"length":{"toString":1}}}}',
  '{"v":1,"do":"stop","id":{"length":{"toString":1}}}',
  `{"v":1,"map":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
];

const ignore = (): void => undefined;

const inboxWith = (parts: Partial<InboxParts>) => {
  const issues: string[] = [];
  const receive = createInbox({
    acknowledged: ignore,
    configReceived: ignore,
    probeRequested: ignore,
    configRefused: ignore,
    plansReceived: ignore,
    unreadable: (_topic, issue) => issues.push(issue),
    ...parts,
  });
  return { receive, issues };
};

describe('inbox of the agent', () => {
  it('reports a hostile message on any topic as unreadable and never throws', () => {
    const { receive, issues } = inboxWith({});
    for (const kind of topicKinds)
      for (const text of hostile)
        expect(() => receive(topicOf('S', kind), Buffer.from(text)), `${kind} ${text.slice(0, 80)}`).not.toThrow();
    expect(issues.length).toBeGreaterThan(hostile.length);
    expect(issues.some((issue) => issue.includes('cannot be checked'))).toBe(true);
  });

  it('reports a message whose handler throws and handles the next one', () => {
    let acknowledged = 0;
    const { receive, issues } = inboxWith({
      acknowledged() {
        acknowledged += 1;
        if (acknowledged === 1) throw new Error('the disk is gone');
      },
    });
    const ack = Buffer.from(JSON.stringify({ v: 1, epoch: '00112233445566aa', ranges: [[0, 1]] }));
    receive(topicOf('S', 'ack'), ack);
    receive(topicOf('S', 'ack'), ack);
    expect({ acknowledged, issues }).toEqual({ acknowledged: 2, issues: ['its handler failed: the disk is gone'] });
  });
});
