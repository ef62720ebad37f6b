import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Moves the focus to the task box or the Stop button when a card that has the focus disappears because it was answered.
 */
export function useHandedFocus<Card extends HTMLElement>(): RefObject<Card | null> {
  const card = useRef<Card>(null);
  useEffect(() => {
    const element = card.current;
    const isIn = { focus: false };
    const note = ({ type }: FocusEvent) => {
      isIn.focus = type === 'focusin';
    };
    element?.addEventListener('focusin', note);
    element?.addEventListener('focusout', note);
    return () => {
      if (isIn.focus) document.querySelector<HTMLElement>('.composer textarea, .composer button')?.focus();
    };
  }, []);
  return card;
}
