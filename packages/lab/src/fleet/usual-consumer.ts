// A separate program, started by `peers.ts`: a typical first implementation. Each journal message is parsed and
// inserted as a row by a statement of its own, ten at a time.
import { allMachines } from '@roastery/contract/mqtt';
import type { SampleBatch } from '@roastery/contract/mqtt';
import mqtt from 'mqtt';
import postgres from 'postgres';

const [, , port, databaseUrl = '', username = '', password = ''] = process.argv;
const sql = postgres(databaseUrl, { max: 10, onnotice: () => undefined });
const client = mqtt.connect({ port: Number(port), clientId: 'usual-consumer', username, password });
client.on('message', (topic, payload) => {
  const { epoch, seq, t, s } = JSON.parse(payload.toString('utf8')) as SampleBatch;
  const [one, two, three] = s.map((column) => column[0] ?? null);
  const row = { topic, epoch, seq, at: new Date(t), one, two, three };
  // A failed one ends the program: rows would be missing.
  void sql`INSERT INTO usual_rows ${sql(row)} ON CONFLICT DO NOTHING`.execute();
});
client.on('connect', () => client.subscribe(allMachines('journal'), { qos: 1 }, () => process.send?.('subscribed')));
process.on('disconnect', () => process.exit());
