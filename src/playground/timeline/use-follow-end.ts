import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

const NEAR_END_PX = 100;

/**
 * Keeps the end of growing content scrolled into view until the reader scrolls up; scrolling back to the end resumes.
 * A new `key` starts over, at the top if the content does not grow.
 */
export function useFollowEnd(content: RefObject<HTMLElement | null>, key: string, grows: boolean): void {
  useEffect(() => {
    const scroller = content.current?.closest<HTMLElement>('.scroll');
    if (!content.current || !scroller) return;
    let follows = grows;
    if (!grows) scroller.scrollTop = 0;
    let top = scroller.scrollTop;
    const onScroll = (): void => {
      const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
      if (left < NEAR_END_PX) follows = true;
      else if (scroller.scrollTop < top) follows = false;
      top = scroller.scrollTop;
    };
    const resized = new ResizeObserver(() => {
      if (follows) scroller.scrollTop = scroller.scrollHeight;
    });
    resized.observe(scroller);
    resized.observe(content.current);
    scroller.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      resized.disconnect();
      scroller.removeEventListener('scroll', onScroll);
    };
  }, [content, key]);
}
