import { useCallback, useEffect, useRef, useState } from 'react';
import type { RoastAlarm } from '@roastery/contract/alarms';
import { useSession } from '../../api/session.tsx';

/** How near the next step is; each change is signalled once. */
export type StepNearness = 'later' | 'soon' | 'now';

let audio: AudioContext | undefined;

/** Short tones. Browsers allow them once the page was touched. */
const sound = (times: number, hertz: number): void => {
  audio ??= new AudioContext();
  const context = audio;
  if (context.state === 'suspended') void context.resume();
  for (let n = 0; n < times; n++) {
    const at = context.currentTime + n * 0.28;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.4, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.2);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + 0.22);
  }
};

const signal = (nearness: 'soon' | 'now'): void => {
  if (nearness === 'now') sound(2, 880);
  else sound(1, 660);
  if ('vibrate' in navigator) navigator.vibrate(nearness === 'now' ? [200, 100, 200] : 120);
};

const useSignalKey = (): string => `stepSignal:${useSession().user?.id ?? ''}`;

/**
 * Whether steps are signalled by sound and vibration on this device: off by default, stored for each account. A step is
 * signalled once when it is near and once when it is due; `step` says which one it is.
 */
export const useStepSignal = (step: number | null, nearness: StepNearness): [boolean, () => void] => {
  const key = useSignalKey();
  const [isOn, setOn] = useState(() => localStorage.getItem(key) === 'on');
  const told = useRef<string>(undefined);
  useEffect(() => {
    const state = `${step} ${nearness}`;
    const before = told.current;
    told.current = state;
    // A step that was near when the page opened is visible: no signal.
    if (!isOn || before === undefined || before === state || nearness === 'later') return;
    signal(nearness);
  }, [isOn, step, nearness]);
  const toggle = useCallback(() => {
    const next = localStorage.getItem(key) !== 'on';
    localStorage.setItem(key, next ? 'on' : 'off');
    setOn(next);
    if (next) signal('soon');
  }, [key]);
  return [isOn, toggle];
};

/**
 * Three high tones for a new alarm, on a device with signals on. Alarms that lasted when the page was opened are
 * visible: no signal.
 */
export const useAlarmSignal = (alarms: readonly RoastAlarm[]): void => {
  const key = useSignalKey();
  const [openedAt] = useState(() => Date.now());
  const signalled = useRef(new Set<string>());
  useEffect(() => {
    const fresh = alarms.filter(
      ({ id, sound: isLoud, raised_at }) => isLoud && !signalled.current.has(id) && Date.parse(raised_at) > openedAt,
    );
    for (const { id } of fresh) signalled.current.add(id);
    if (fresh.length === 0 || localStorage.getItem(key) !== 'on') return;
    sound(3, 990);
    if ('vibrate' in navigator) navigator.vibrate([300, 100, 300, 100, 300]);
  }, [alarms, key, openedAt]);
};
