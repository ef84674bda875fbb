// The smallest possible agent, for comparison: modbus-serial reads eight registers four times a second, mqtt.js
// publishes them. No journal, no deadlines, no roast. `node bare-poller.mjs <modbus port> <mqtt url> <serial> <token>`.
import { createRequire } from 'node:module';
import { setInterval } from 'node:timers/promises';
import { connectAsync } from 'mqtt';

const [modbusPort, mqttUrl, serial, token] = process.argv.slice(2);
const ModbusRTU = createRequire(import.meta.url)('modbus-serial');

const modbus = new ModbusRTU();
await modbus.connectTCP('127.0.0.1', { port: Number(modbusPort) });
modbus.setID(1);
const client = await connectAsync(mqttUrl, { clientId: `board-${serial}`, username: serial, password: token });
for await (const _ of setInterval(250)) {
  const { data } = await modbus.readInputRegisters(0, 8);
  await client.publishAsync(`roastery/v1/${serial}/live`, JSON.stringify({ values: data, t: Date.now() }));
}
