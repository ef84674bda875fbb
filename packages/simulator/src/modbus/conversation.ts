import type { Duplex } from 'node:stream';
import { realClock, type Cancel, type Clock } from '@roastery/runtime/clock';
import type { Random } from '../model/random.ts';
import { gatewayTargetFailed, type RegisterBank } from '../registers/register-bank.ts';
import { drawFate, type Fate, type Faults } from './faults.ts';
import { UnreadableStream, type Damage, type FramedRequest, type Framing } from './framing.ts';
import { answerRequest, exceptionAnswer } from './request.ts';

export interface ConversationContext {
  readonly bank: RegisterBank;
  readonly faults: () => Faults;
  readonly random: Random;
  /** Every request that arrived, with its fault. */
  readonly onRequest: (request: FramedRequest) => void;
  /** Every answer that is sent undamaged. */
  readonly onAnswer?: ((request: FramedRequest, pdu: Buffer) => void) | undefined;
  /** The fault of a request that was answered. */
  readonly onFate?: (request: FramedRequest, fate: Fate) => void;
  readonly clock?: Clock | undefined;
}

const maxLatenessMs = 100;

/** Unit, function and first address: the same request, however many registers it reads. */
const placeOf = ({ unit, pdu }: FramedRequest): string => `${unit}/${pdu.subarray(0, 3).toString('hex')}`;
/** Coils for discrete inputs, holding for input registers, and the reverse. */
const otherFunction = (pdu: Buffer): Buffer => {
  const other = Buffer.from(pdu);
  const code = other[0] ?? 0;
  other[0] = code % 2 === 1 ? code + 1 : code - 1;
  return other;
};

/**
 * Answers the requests of one connection in order; the peer may send several at once. Returns a function that ends it
 * and drops pending answers.
 */
export const converse = (stream: Duplex, framing: Framing, context: ConversationContext): (() => void) => {
  const { clock = realClock } = context;
  const underWay = new Set<Cancel>();
  /** The request that followed each request last time. */
  const followers = new Map<string, FramedRequest>();
  let previous: string | undefined;
  let held: { readonly bytes: Buffer; readonly cancel: Cancel } | undefined;

  const write = (bytes: Buffer): void => {
    if (stream.writable) stream.write(bytes);
  };
  const after = (delayMs: number, work: () => void): Cancel => {
    const cancel = clock.after(delayMs, () => {
      underWay.delete(cancel);
      work();
    });
    underWay.add(cancel);
    return cancel;
  };
  /** On a busy computer a repeat could arrive after any later request: then it is dropped. */
  const repeat = (bytes: Buffer, delayMs: number): void => {
    const dueAt = clock.monotonic() + delayMs;
    after(delayMs, () => {
      if (clock.monotonic() - dueAt < maxLatenessMs) write(bytes);
    });
  };
  /** Sends an answer, in one piece with a held-back one. */
  const send = (bytes: Buffer): void => {
    if (held === undefined) return write(bytes);
    held.cancel();
    const both = Buffer.concat([held.bytes, bytes]);
    held = undefined;
    write(both);
  };
  const holdBack = (bytes: Buffer, joinMs: number): void => {
    if (held !== undefined) return send(bytes);
    const alone = (): void => {
      held = undefined;
      write(bytes);
    };
    held = { bytes, cancel: after(joinMs, alone) };
  };
  const framed = (request: FramedRequest, pdu: Buffer, damage: Damage): Buffer => {
    if (damage === 'other_unit') return framing.frame({ ...request, unit: (request.unit % 247) + 1 }, pdu, 'none');
    if (damage === 'other_function') return framing.frame(request, otherFunction(pdu), 'none');
    return framing.frame(request, pdu, damage);
  };

  const answer = (request: FramedRequest): void => {
    context.onRequest(request);
    const place = placeOf(request);
    if (previous !== undefined) followers.set(previous, request);
    previous = place;
    const present = context.bank.hasUnit(request.unit);
    if (!present && !framing.answersForMissingUnits) return;
    const fate = drawFate(context.faults(), request.unit, context.random);
    context.onFate?.(request, fate);
    if (fate.kind === 'silence') return;
    if (fate.kind === 'close') {
      stream.destroy();
      return;
    }
    const code = request.pdu[0] ?? 0;
    const refused = fate.exception ?? (present ? null : gatewayTargetFailed);
    const pdu =
      refused === null ? answerRequest(context.bank, request.unit, request.pdu) : exceptionAnswer(code, refused);
    const bytes = framed(request, pdu, fate.damage);
    const { repeatAfterMs } = fate;
    const deliver = (): void => {
      // Before it is sent, so that its time lies between request and answer for the peer too.
      if (refused === null && fate.damage === 'none') context.onAnswer?.(request, pdu);
      if (fate.isJoined) holdBack(bytes, fate.joinMs);
      else send(bytes);
      if (repeatAfterMs === 0) write(bytes);
      else if (repeatAfterMs !== undefined) repeat(bytes, repeatAfterMs);
      const next = followers.get(place);
      if (!fate.hasEarly || next === undefined || !context.bank.hasUnit(next.unit)) return;
      const guessed = { ...next, transaction: (request.transaction + 1) & 0xffff };
      send(framed(guessed, answerRequest(context.bank, next.unit, next.pdu), 'none'));
    };
    if (fate.delayMs === 0) deliver();
    else after(fate.delayMs, deliver);
  };
  const end = (): void => {
    for (const cancel of underWay) cancel();
    underWay.clear();
    held = undefined;
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
  // A peer that disappears is normal beside a roaster; `close` follows and cleans up.
  stream.on('error', end);
  return end;
};
