import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Distance from the end, in pixels, from which on the person is considered to have scrolled up to read. */
const FOLLOWED_DISTANCE = 80;

/** Keeps the end of a growing element in view, unless the person has scrolled up. */
export function useFollowedEnd(growth: unknown): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  useEffect(() => {
    const follow = () => {
      const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = element.current ?? {};
      isFollowing.current = scrollHeight - scrollTop - clientHeight < FOLLOWED_DISTANCE;
    };
    element.current?.addEventListener('scroll', follow, { passive: true });
    return () => element.current?.removeEventListener('scroll', follow);
  }, []);
  useEffect(() => {
    if (isFollowing.current) element.current?.scrollTo({ top: element.current.scrollHeight });
  }, [growth]);
  return element;
}
