import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** In pixels: who has scrolled farther up than this reads there. */
const FOLLOWED_DISTANCE = 80;

/** Keeps the end of a scrolled element in sight while it grows, unless the person has scrolled away from it. */
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
