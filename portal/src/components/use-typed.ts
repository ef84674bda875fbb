import { useEffect, useState } from 'react';

/**
 * What is being typed, and what to search for once the typing pauses. The box follows the address when it changes elsewhere
 * (Back, a reset button).
 */
export const useTyped = (
  settled: string,
  onSettle: (text: string) => void,
  pauseMs = 250,
): [string, (text: string) => void] => {
  const [text, setText] = useState(settled);
  const [followed, setFollowed] = useState(settled);
  if (settled !== followed) {
    setFollowed(settled);
    setText(settled);
  }
  useEffect(() => {
    if (text === settled) return undefined;
    const timer = setTimeout(onSettle, pauseMs, text);
    return () => clearTimeout(timer);
  }, [text, settled, onSettle, pauseMs]);
  return [text, setText];
};
