import { subscribePush } from '@roastery/contract/push';
import { call } from './call.ts';
import { logError } from './error-log.ts';

/** Undefined while the portal's worker is not installed, as in development. */
export const pushWorker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration();

/** The push subscription of this browser; null if it has none, or can't have one. */
export const ownSubscription = async (): Promise<PushSubscription | null> => {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) return null;
  return (await (await pushWorker())?.pushManager.getSubscription()) ?? null;
};

/** Whose alarms this browser receives, so that they continue with the next session of this person. */
const personKey = 'push-person';

const textOf = (key: ArrayBuffer | null): string =>
  key === null
    ? ''
    : btoa(String.fromCodePoint(...new Uint8Array(key)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');

/** Sends the alarms of the signed-in person to this subscription, until the session ends. */
export const registerPush = async (subscription: PushSubscription, userId: string): Promise<void> => {
  const [p256dh, auth] = [textOf(subscription.getKey('p256dh')), textOf(subscription.getKey('auth'))];
  await call(subscribePush, { body: { endpoint: subscription.endpoint, p256dh, auth } });
  localStorage.setItem(personKey, userId);
};

/**
 * The next user of this browser must not receive the alarms of the previous one. The push service reports it to the
 * server.
 */
export const endOwnPush = async (): Promise<void> => {
  localStorage.removeItem(personKey);
  await (await ownSubscription())?.unsubscribe();
};

/** After a sign-in: the earlier session has ended, and its subscription with it. The same person keeps the alarms. */
export const continuePush = async (userId: string): Promise<void> => {
  try {
    const subscription = await ownSubscription();
    if (subscription === null) return;
    if (localStorage.getItem(personKey) === userId) await registerPush(subscription, userId);
    else await endOwnPush();
  } catch (error) {
    logError('alarms on this device', error);
  }
};
