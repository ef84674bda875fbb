import { useEffect, useState } from 'react';

/**
 * A debounced search field: `onSettle` is called when the typing pauses. The field follows the address when that
 * changes elsewhere (Back, a reset button).
 */
export const useTyped = (
  settled: string,
  onSettle: (text: string) => void,
  pauseMs = 250,
): [string, (text: string) => void] => {
  const [text, setText] = useState(settled);
  const [followed, setFollowed] = useState(settled);
  // Texts that were sent to the address and are not in it yet; more may be typed until then.
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
