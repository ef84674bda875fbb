import type { Duplex } from 'node:stream';
import type { Random } from '../model/random.ts';
import { gatewayTargetFailed, type RegisterBank } from '../registers/register-bank.ts';
import { drawFate, type Faults } from './faults.ts';
import { UnreadableStream, type FramedRequest, type Framing } from './framing.ts';
import { answerRequest, exceptionAnswer } from './request.ts';

export interface ConversationContext {
  readonly bank: RegisterBank;
  readonly faults: () => Faults;
  readonly random: Random;
  /** Every request that arrived, whatever became of it. */
  readonly onRequest: (request: FramedRequest) => void;
}

/**
 * Answers the requests of one connection in the order they came, several in flight if the peer likes. Returns what ends
 * it: late answers still under way are given up.
 */
export const converse = (stream: Duplex, framing: Framing, context: ConversationContext): (() => void) => {
  const late = new Set<NodeJS.Timeout>();
  const send = (bytes: Buffer): void => {
    if (stream.writable) stream.write(bytes);
  };
  const answer = (request: FramedRequest): void => {
    context.onRequest(request);
    const present = context.bank.hasUnit(request.unit);
    if (!present && !framing.answersForMissingUnits) return;
    const fate = drawFate(context.faults(), request.unit, context.random);
    if (fate.kind === 'silence') return;
    if (fate.kind === 'close') {
      stream.destroy();
      return;
    }
    const code = request.pdu[0] ?? 0;
    const refused = fate.exception ?? (present ? null : gatewayTargetFailed);
    const pdu =
      refused === null ? answerRequest(context.bank, request.unit, request.pdu) : exceptionAnswer(code, refused);
    const bytes = framing.frame(request, pdu, fate.damage);
    if (fate.delayMs === 0) return send(bytes);
    const timer = setTimeout(() => {
      late.delete(timer);
      send(bytes);
    }, fate.delayMs);
    late.add(timer);
  };
  const end = (): void => {
    for (const timer of late) clearTimeout(timer);
    late.clear();
  };
  stream.on('data', (bytes: Buffer) => {
    try {
      for (const request of framing.take(bytes)) answer(request);
    } catch (error) {
      if (!(error instanceof UnreadableStream)) throw error;
      stream.destroy();
    }
  });
  stream.on('close', end);
  // A peer that vanishes is usual beside a roaster; `close` follows and cleans up.
  stream.on('error', end);
  return end;
};
