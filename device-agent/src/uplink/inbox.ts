import type { MachineMap } from '@roastery/contract/machine-map';
import { ackShape, configShape, parseTopic, type Ack } from '@roastery/contract/mqtt';

export interface InboxParts {
  readonly acknowledged: (ack: Ack) => void;
  readonly mapReceived: (map: MachineMap) => void;
  /** A message that means nothing to us, with what is wrong with it. */
  readonly unreadable: (topic: string, issue: string) => void;
}

/** What the server tells this board: acknowledgements and machine maps. Nothing it sends can stop the agent. */
export const createInbox =
  (parts: InboxParts) =>
  (topic: string, payload: Buffer): void => {
    const kind = parseTopic(topic)?.kind;
    const shape = kind === 'ack' ? ackShape : kind === 'config' ? configShape : undefined;
    if (!shape) return;
    let json: unknown;
    try {
      json = JSON.parse(payload.toString());
    } catch (error) {
      return parts.unreadable(topic, error instanceof Error ? error.message : String(error));
    }
    const parsed = shape.safeParse(json);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return parts.unreadable(topic, `${issue?.path.join('.')}: ${issue?.message}`);
    }
    if ('ranges' in parsed.data) parts.acknowledged(parsed.data);
    else parts.mapReceived(parsed.data.map);
  };
