import { isIP } from 'node:net';

const isThisBoard = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** What to warn of before the machine's token goes to this broker; undefined when it is encrypted or never leaves the board. */
export const plainBrokerWarning = (mqttUrl: string): string | undefined => {
  if (!URL.canParse(mqttUrl)) return undefined;
  const { protocol, hostname, host } = new URL(mqttUrl);
  if (protocol !== 'mqtt:' && protocol !== 'ws:') return undefined;
  if (isThisBoard(hostname.replace(/^\[|\]$/g, ''))) return undefined;
  return `The way to the broker ${host} is not encrypted (${protocol}//): whoever listens there gets the machine's token and all readings. Let whoever runs the server offer mqtts:// (MQTT_PUBLIC_URL).`;
};
