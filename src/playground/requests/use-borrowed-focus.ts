import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Moves the focus to a pending request, and after the decision back to the previous element, or else to the task. */
export function useBorrowedFocus(target: RefObject<HTMLElement | null>, asked: unknown): void {
  useEffect(() => {
    const lender = document.activeElement;
    const borrower = target.current;
    borrower?.focus();
    return () => {
      // Leaves the focus where it is if the person has moved it meanwhile.
      const isFree = document.activeElement === document.body || borrower?.contains(document.activeElement);
      if (!isFree) return;
      const back = lender instanceof HTMLElement && lender.isConnected && lender !== document.body;
      (back ? lender : document.getElementById('task'))?.focus();
    };
  }, [target, asked]);
}
