/** Undefined while the portal's worker is not installed, as in development. */
export const pushWorker = async (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration();

/** By which this browser receives alarms; null where it does not, or can't. */
export const ownSubscription = async (): Promise<PushSubscription | null> => {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) return null;
  return (await (await pushWorker())?.pushManager.getSubscription()) ?? null;
};

/** Alarms of the one who signed out are not for whoever uses this browser next. The push service tells the server. */
export const endOwnPush = async (): Promise<void> => {
  await (await ownSubscription())?.unsubscribe();
};
