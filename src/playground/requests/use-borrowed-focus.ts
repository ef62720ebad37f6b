import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Takes the focus to what is asked, and gives it back when that is decided: to where it was, else to the task. */
export function useBorrowedFocus(target: RefObject<HTMLElement | null>, asked: unknown): void {
  useEffect(() => {
    const lender = document.activeElement;
    const borrower = target.current;
    borrower?.focus();
    return () => {
      // A person who has gone on to something else stays there.
      const isFree = document.activeElement === document.body || borrower?.contains(document.activeElement);
      if (!isFree) return;
      const back = lender instanceof HTMLElement && lender.isConnected && lender !== document.body;
      (back ? lender : document.getElementById('task'))?.focus();
    };
  }, [target, asked]);
}
