/** Reasons why a client or a request is refused, as logs and metrics name them. */
export const refusalReasons = [
  'too_many_connections',
  'too_many_from_address',
  'connect_timeout',
  'not_mqtt',
  'too_large',
  'tls',
  'protocol',
  'identifier',
  'credentials',
  'too_many_failures',
  'api_away',
  'will_forbidden',
  'publish_forbidden',
  'subscribe_forbidden',
  'frozen',
  'too_slow',
  'keepalive',
  'revoked',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];
