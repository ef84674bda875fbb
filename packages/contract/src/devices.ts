import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { storedMapShape } from './machine-map.ts';
import { brokerUrlsShape } from './mqtt.ts';
import { idShape, instantShape, lineShape } from './shapes.ts';

const endpoint = endpointsOf('Devices', 'device');

/** A board's login at a broker that can't verify tokens with the api. */
export const mqttLoginShape = z.object({ username: z.string(), password: z.string() });
export type MqttLogin = z.infer<typeof mqttLoginShape>;

/** The settings of a board beyond its environment file; it stores the answer for starts without a network. */
export const deviceSelfShape = z.object({
  machine_id: idShape,
  serial_number: z.string(),
  display_name: z.string(),
  mqtt_url: z.string(),
  /** Where there are several brokers; a board that knows one keeps `mqtt_url`. */
  mqtt_urls: brokerUrlsShape.optional().catch(undefined),
  /** Absent where the broker verifies tokens with the api: then serial number and token are the login. */
  mqtt_login: mqttLoginShape.optional(),
  server_time: instantShape,
  map: storedMapShape.nullable(),
});

export const deviceSelf = endpoint({
  name: 'deviceSelf',
  method: 'GET',
  path: '/devices/me',
  summary: 'The machine of a credential, and the address of its broker',
  response: deviceSelfShape,
});

export const revokeOwnCredential = endpoint({
  name: 'revokeOwnCredential',
  method: 'POST',
  path: '/devices/me/revoke',
  summary: 'Revoke the credential of this request: a board that is reset discards it',
  body: z.object({ because: z.enum(['factory_reset']) }),
  response: z.object({ serial_number: z.string() }),
});

/**
 * Letters of a pairing code: without vowels and digits, so that no words appear by chance and no characters are
 * confused.
 */
export const pairingLetters = 'BCDFGHJKLMNPQRSTVWXZ';
/** Twelve of twenty letters are 51.9 bits. */
export const pairingCodeLength = 12;

/** The letters of a typed code: case, dashes, blanks and the ticket's `PAIR-` are ignored. */
export const lettersOfPairingCode = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/^\s*PAIR[-\s]*/, '')
    .replaceAll(/[-\s]/g, '');

const codeShape = new RegExp(`^[${pairingLetters}]{${pairingCodeLength}}$`);

/** Whether these letters can be a code at all. */
export const isPairingCode = (letters: string): boolean => codeShape.test(letters);

export const pairDevice = endpoint({
  name: 'pairDevice',
  method: 'POST',
  path: '/devices/pair',
  summary:
    'Exchange a pairing ticket once for a credential, whose hash the board sends; a repeat with the same hash succeeds',
  access: 'public',
  body: z.object({
    code: z.string().max(64),
    /** SHA-256 of the secret that the board generated, in hex. The secret itself is never sent here. */
    secret_hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
    /** Identifies the board's hardware, if it is known. */
    hardware_id: lineShape(80),
    agent_version: lineShape(40),
  }),
  response: z.object({
    machine_id: idShape,
    serial_number: z.string(),
    display_name: z.string(),
    mqtt_url: z.string(),
    mqtt_urls: brokerUrlsShape.optional().catch(undefined),
  }),
  errors: ['wrong_credentials', 'ticket_expired', 'too_many_requests'],
});

const brokerText = z.string().max(1024);

/** One rule of EMQX's access control lists. */
export const mqttAclRuleShape = z.object({
  permission: z.enum(['allow', 'deny']),
  action: z.enum(['publish', 'subscribe', 'all']),
  topic: z.string(),
});
export type MqttAclRule = z.infer<typeof mqttAclRuleShape>;

export const mqttVerdictShape = z.object({
  result: z.enum(['allow', 'deny']),
  is_superuser: z.boolean(),
  /** The topics of a board, so that the broker needs no further request. EMQX reads it from version 5.8 on. */
  acl: z.array(mqttAclRuleShape).optional(),
});
export type MqttVerdict = z.infer<typeof mqttVerdictShape>;

/** Shapes of EMQX 5's HTTP authentication and authorisation, so that the broker can be replaced by configuration. */
export const mqttAuth = endpoint({
  name: 'mqttAuth',
  method: 'POST',
  path: '/mqtt/auth',
  tag: 'MQTT',
  summary: 'May this client connect?',
  access: 'broker',
  body: z.object({ clientid: brokerText, username: brokerText.default(''), password: brokerText.default('') }),
  response: mqttVerdictShape,
});

export const mqttAcl = endpoint({
  name: 'mqttAcl',
  method: 'POST',
  path: '/mqtt/acl',
  tag: 'MQTT',
  summary: 'May this client publish to, or subscribe to, this topic?',
  access: 'broker',
  body: z.object({
    clientid: brokerText,
    username: brokerText.default(''),
    topic: brokerText,
    action: z.enum(['publish', 'subscribe']),
  }),
  response: z.object({ result: z.enum(['allow', 'deny']) }),
});
