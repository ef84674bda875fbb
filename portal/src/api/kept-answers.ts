/** Where build/offline-worker.js keeps the last answers for the time without a server. */
const answersName = 'answers';

/** Takes the kept answers off the device. Browsers have no cache storage outside of HTTPS and this computer. */
export const forgetKeptAnswers = async (): Promise<void> => {
  if ('caches' in globalThis) await caches.delete(answersName);
};
