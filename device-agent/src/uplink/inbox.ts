import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { probeRequestShape, type ProbeRequest } from '@roastery/contract/probe';
import {
  ackShape,
  configShape,
  parseTopic,
  unreadableConfigShape,
  type Ack,
  type DeviceConfig,
  type TopicKind,
} from '@roastery/contract/mqtt';
import { plansShape, type RoastPlan } from '@roastery/contract/roast-plan';

export interface InboxParts {
  readonly acknowledged: (ack: Ack) => void;
  readonly configReceived: (config: DeviceConfig) => void;
  /** A probe of the machine's registers begins or ends. */
  readonly probeRequested: (request: ProbeRequest) => void;
  /** A config that this agent does not understand, by its revision. */
  readonly configRefused: (rev: number, issue: string) => void;
  /** All plans of this machine; empty when there are none any more. */
  readonly plansReceived: (plans: readonly RoastPlan[]) => void;
  /** A message that this agent does not understand, with the reason. */
  readonly unreadable: (topic: string, issue: string) => void;
}

const shapeOf = (kind: TopicKind | undefined) => {
  if (kind === 'ack') return ackShape;
  if (kind === 'config') return configShape;
  if (kind === 'plan') return plansShape;
  return kind === 'probe' ? probeRequestShape : undefined;
};

const deliver = (parts: InboxParts, topic: string, payload: Buffer): void => {
  const kind = parseTopic(topic)?.kind;
  const shape = shapeOf(kind);
  // A withdrawn message leaves its topic empty.
  if (kind === 'plan' && payload.length === 0) return parts.plansReceived([]);
  if (!shape || payload.length === 0) return;
  const text = payload.toString();
  const parsed = parseJson<typeof shape>(shape, text);
  if (!parsed.success) {
    const issue = describeRefusal(parsed);
    const refused = kind === 'config' ? parseJson(unreadableConfigShape, text).data : undefined;
    if (refused !== undefined) parts.configRefused(refused.rev, issue);
    return parts.unreadable(topic, issue);
  }
  if ('do' in parsed.data) parts.probeRequested(parsed.data);
  else if ('ranges' in parsed.data) parts.acknowledged(parsed.data);
  else if ('plans' in parsed.data) parts.plansReceived(parsed.data.plans);
  else parts.configReceived(parsed.data);
};

/**
 * Reads the server's messages to this board: acknowledgements, map and settings, plans, probe requests. Never throws: a
 * message that cannot be read or handled is reported as unreadable and skipped.
 */
export const createInbox =
  (parts: InboxParts) =>
  (topic: string, payload: Buffer): void => {
    try {
      deliver(parts, topic, payload);
    } catch (error) {
      parts.unreadable(topic, `its handler failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
