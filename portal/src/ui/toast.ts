export type ToastTone = 'success' | 'danger' | 'info';

export interface ToastMessage {
  id: number;
  tone: ToastTone;
  text: string;
  /** A second line. */
  detail: string | undefined;
  action: { label: string; run: () => void } | undefined;
}

export interface ToastOptions {
  tone?: ToastTone;
  detail?: string | undefined;
  /** e.g. Undo. */
  action?: { label: string; run: () => void } | undefined;
  /** Milliseconds on screen; errors stay until they are closed. */
  stays?: number;
}

let messages: readonly ToastMessage[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

const publish = (next: readonly ToastMessage[]) => {
  messages = next;
  for (const listener of listeners) listener();
};

export const closeToast = (id: number): void => publish(messages.filter((message) => message.id !== id));

/**
 * Shows a message at the foot of the screen, from anywhere. At most three are visible at once. Not Base UI's toast: it
 * would make the first page 14 KB larger, 152 KB of the 150 KB allowed, and loaded later it could be missing when the
 * server can't be reached.
 */
export const toast = (text: string, { tone = 'success', detail, action, stays }: ToastOptions = {}): void => {
  lastId += 1;
  const id = lastId;
  publish([...messages.slice(-2), { id, tone, text, detail, action }]);
  const milliseconds = stays ?? (tone === 'danger' ? 0 : 5000);
  if (milliseconds > 0) setTimeout(closeToast, milliseconds, id);
};

export const subscribeToasts = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export const currentToasts = (): readonly ToastMessage[] => messages;
