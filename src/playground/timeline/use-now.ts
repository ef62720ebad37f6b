import { useEffect, useState } from 'preact/hooks';

/** Returns the page clock's time in milliseconds, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
