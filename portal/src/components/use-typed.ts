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
  // Sent to the address and not seen there yet: by the time it is drawn, more may have been typed.
  const [sent, setSent] = useState<readonly string[]>([]);
  if (settled !== followed) {
    setFollowed(settled);
    const own = sent.findIndex((earlier) => earlier.trim() === settled.trim());
    setSent(own < 0 ? [] : sent.slice(own + 1));
    if (own < 0) setText(settled);
  }
  useEffect(() => {
    if (text === settled) return undefined;
    const timer = setTimeout(() => {
      setSent((earlier) => (earlier.includes(text) ? earlier : [...earlier, text]));
      onSettle(text);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, settled, onSettle, pauseMs]);
  return [text, setText];
};
