import { useLayoutEffect, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { useSession } from '../api/session.tsx';
import { useOfferedActions } from '../components/page-actions.tsx';
import { destinationsFor } from './destinations.ts';

const sequencePauseMs = 1200;

/** The printed name of a key. */
export const keyName = (key: string): string => (key === ' ' ? 'Space' : key);

export const modifierKey = (): string => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl');

/** A key that belongs to the focused element: a field, an open popup, a button with Space. */
const isTaken = (event: KeyboardEvent): boolean => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(event.target instanceof Element)) return false;
  if (
    event.target.closest(
      'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], [role="dialog"], [role="alertdialog"], [role="menu"]',
    )
  )
    return true;
  return (
    (event.key === ' ' || event.key === 'Enter') &&
    event.target.closest('a, button, [role="tab"], [role="checkbox"]') !== null
  );
};

export interface KeyboardHandlers {
  onPalette: () => void;
  onHelp: () => void;
  /** Keys then belong to its text. */
  isPaletteOpen: boolean;
}

/**
 * Keys of the whole portal: Ctrl/Cmd+K, `?`, `g` and the letter of a destination, and the keys of the page's own
 * actions.
 */
export const useKeyboard = ({ onPalette, onHelp, isPaletteOpen }: KeyboardHandlers): void => {
  const { isAdmin } = useSession();
  const navigate = useNavigate();
  const actions = useOfferedActions();
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY);

  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        goPressedAt.current = Number.NEGATIVE_INFINITY;
        onPalette();
        return;
      }
      if (isPaletteOpen || isTaken(event)) return;
      const isGoing = event.timeStamp - goPressedAt.current < sequencePauseMs;
      goPressedAt.current = Number.NEGATIVE_INFINITY;
      const destination = isGoing ? destinationsFor(isAdmin).find(({ key }) => key === event.key) : undefined;
      const action = actions.find(({ key }) => key === event.key);
      if (destination !== undefined) void navigate(destination.to);
      else if (event.key === '?') onHelp();
      else if (action !== undefined) action.run();
      else if (event.key === 'g') goPressedAt.current = event.timeStamp;
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [actions, isAdmin, navigate, onPalette, onHelp, isPaletteOpen]);
};
