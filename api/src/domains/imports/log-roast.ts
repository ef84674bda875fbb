import { randomUUID } from 'node:crypto';
import type { ParsedBody } from '@roastery/contract/endpoint';
import type { logRoast as endpoint } from '@roastery/contract/imports';
import type { Roast } from '@roastery/contract/roasts';
import type { MarkKind } from '@roastery/roasting/marks';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import type { Sql } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { roastFigures, type TimedMark } from '../roasts/curves/roast-window.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { giveBatchNumber } from '../planned/batch-number.ts';
import { countProfileUse, settleLot } from '../roasts/life/settle-roast.ts';
import { factColumns, machineOf } from './roast-facts.ts';

type LoggedRoast = ParsedBody<typeof endpoint>;

/** A roast without a recording has one clock, which begins at its charge. */
const bootNo = 0;

const markAt = (kind: MarkKind, seconds: number, temp: number | null | undefined): TimedMark => ({
  kind,
  timeSeconds: seconds,
  tempC: temp ?? null,
  mark: {
    id: uuidV7(),
    kind,
    origin: 'person',
    at_seq: null,
    mono_ms: Math.round(seconds * 1000),
    temp: temp ?? null,
    confidence: 1,
    provisional: false,
    is_withdrawn: false,
    boot_no: bootNo,
    event_seq: null,
    source_seq: -1,
  },
});

const marksOf = (body: LoggedRoast): TimedMark[] => [
  markAt('charge', 0, body.charge_temp),
  ...(typeof body.first_crack_time === 'number'
    ? [markAt('first_crack', body.first_crack_time, body.first_crack_temp)]
    : []),
  markAt('drop', body.duration_seconds, body.drop_temp),
];

const insertMarks = async (tx: Sql, roastId: string, marks: readonly TimedMark[], by: string): Promise<void> => {
  const rows = marks.map(({ mark: { source_seq: _source, ...word } }) => ({
    ...word,
    roast_id: roastId,
    recording_id: null,
    by_user: by,
  }));
  await tx`INSERT INTO roast_marks ${tx(rows)}`;
};

/** Logs a roast that no board recorded: its few figures as marks of the person who logs it, without a curve. */
export const logRoast = async (context: UserContext, body: LoggedRoast): Promise<Roast> => {
  const roastId = randomUUID();
  const marks = marksOf(body);
  await context.sql.begin(async (tx) => {
    const row = {
      id: roastId,
      ...(await machineOf(tx, context.user, body.machine_id ?? null)),
      status: 'completed',
      start_time: body.start_time,
      boot_no: bootNo,
      ...(await factColumns(tx, body)),
      ...roastFigures(marks),
    };
    await tx`INSERT INTO roasts ${tx(row)}`;
    await insertMarks(tx, roastId, marks, context.user.id);
    await countProfileUse(tx, [row.profile_id]);
    await settleLot(tx, roastId, context.user.id);
    await giveBatchNumber(tx, roastId);
    await recordAudit(tx, actorOf(context), {
      action: 'roast.logged',
      subject: roastId,
      detail: { coffee_name: body.coffee_name, start_time: body.start_time },
    });
  });
  const made = await readRoast(context.sql, roastId, context.user);
  if (made === undefined) throw notFound('Roast');
  return made.roast;
};
