import { deviceMayPublish, deviceMaySubscribe, maxPacketBytes, serviceUserName } from '@roastery/contract/mqtt';
import { parseOrThrow, parseShape } from '@roastery/contract/parse-shape';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readHocon } from './hocon.ts';
import { read } from './program-files.ts';

describe('mosquitto.acl and mosquitto.conf', () => {
  it('allow boards and the api the topics of the contract, each in its direction, and no others', () => {
    const rights: Record<string, Set<string>> = {};
    let user = '';
    for (const line of read('brokers', 'mosquitto.acl').split('\n')) {
      const [word = '', ...rest] = line.split(' ');
      if (word === 'user') user = rest.join(' ');
      if (word !== 'topic' && word !== 'pattern') continue;
      const [access = '', topic = ''] = rest;
      const who = word === 'pattern' ? 'board' : user;
      const kind = topic.replace(word === 'pattern' ? 'roastery/v1/%u/' : 'roastery/v1/+/', '');
      for (const right of access === 'readwrite' ? ['read', 'write'] : [access])
        (rights[`${who} ${right}`] ??= new Set()).add(kind);
    }
    expect(rights).toEqual({
      'board write': new Set(deviceMayPublish),
      'board read': new Set(deviceMaySubscribe),
      // The api manages the machines' users.
      [`${serviceUserName} read`]: new Set([...deviceMayPublish, '$CONTROL/dynamic-security/v1/response']),
      // A board leaves its retained status on the broker; the api clears it when the machine is deleted.
      [`${serviceUserName} write`]: new Set([...deviceMaySubscribe, 'status', '$CONTROL/dynamic-security/v1']),
    });
  });

  it('accept the largest packet of a board', () => {
    expect(read('brokers', 'mosquitto.conf')).toMatch(new RegExp(`^max_packet_size ${maxPacketBytes}$`, 'm'));
  });
});

const duration = z.string().regex(/^\d+(ms|s|m|h)$/);
const bytes = z.string().regex(/^\d+(KB|MB|GB)$/);
const bind = z.string().regex(/^[\d.]+:\d+$/);
const templates = z.record(z.string(), z.string());
const http = {
  method: z.enum(['get', 'post']),
  url: z.url(),
  headers: templates,
  body: templates,
  request_timeout: duration,
  connect_timeout: duration,
  pool_size: z.number().int(),
};
const limits = {
  mqtt: z.strictObject({
    max_packet_size: bytes.optional(),
    max_topic_levels: z.number().optional(),
    max_mqueue_len: z.number().optional(),
    mqueue_store_qos0: z.boolean().optional(),
  }),
  force_shutdown: z.strictObject({ max_mailbox_size: z.number().int(), max_heap_size: bytes }),
};

/** The settings of emqx.conf that are used, as EMQX 5.8 documents them (docs.emqx.com/en/emqx/v5.8/hocon). */
const emqxShape = z.strictObject({
  listeners: z.strictObject({
    tcp: z.strictObject({ default: z.strictObject({ bind, zone: z.string() }) }),
    ssl: z.strictObject({
      default: z.strictObject({
        bind,
        ssl_options: z.strictObject({
          certfile: z.string(),
          keyfile: z.string(),
          versions: z.array(z.enum(['tlsv1.3', 'tlsv1.2'])),
        }),
      }),
    }),
    ws: z.strictObject({ default: z.strictObject({ enable: z.boolean() }) }),
    wss: z.strictObject({ default: z.strictObject({ enable: z.boolean() }) }),
  }),
  ...limits,
  zones: z.record(z.string(), z.strictObject(limits)),
  flapping_detect: z.strictObject({
    enable: z.boolean(),
    window_time: duration,
    max_count: z.number().int(),
    ban_time: duration,
  }),
  authentication: z.tuple([
    z.strictObject({ mechanism: z.literal('password_based'), backend: z.literal('http'), ...http }),
  ]),
  authorization: z.strictObject({
    no_match: z.enum(['allow', 'deny']),
    deny_action: z.enum(['ignore', 'disconnect']),
    cache: z.strictObject({ enable: z.boolean(), max_size: z.number().int(), ttl: duration }),
    sources: z.tuple([z.strictObject({ type: z.literal('http'), ...http })]),
  }),
});

describe('emqx.conf', () => {
  const written = readHocon(read('brokers', 'emqx.conf'));

  it('has only settings that EMQX documents, with values of their kinds', () => {
    expect(parseShape(emqxShape, written)).toMatchObject({ success: true });
  });

  it('refuses what the api does not allow', () => {
    const settings = parseOrThrow(emqxShape, written);
    expect(settings).toMatchObject({
      authorization: { no_match: 'deny', deny_action: 'disconnect' },
      mqtt: { max_packet_size: `${maxPacketBytes / 1024}KB` },
    });
    expect(Object.keys(settings.zones)).toContain(settings.listeners.tcp.default.zone);
  });
});
