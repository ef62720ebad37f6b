/** Counts the characters that `work` examines, either in searches or one by one. */
export function countLooks(work: () => void): number {
  const { indexOf, lastIndexOf, charCodeAt, charAt } = String.prototype;
  let looks = 0;
  const counting = {
    indexOf(this: string, search: string, from = 0): number {
      const found = indexOf.call(this, search, from);
      looks += 1 + (found < 0 ? this.length : found) - from;
      return found;
    },
    lastIndexOf(this: string, search: string, from = this.length): number {
      const found = lastIndexOf.call(this, search, from);
      looks += 1 + from - Math.max(found, 0);
      return found;
    },
    charCodeAt(this: string, at: number): number {
      looks += 1;
      return charCodeAt.call(this, at);
    },
    charAt(this: string, at: number): string {
      looks += 1;
      return charAt.call(this, at);
    },
  };
  Object.assign(String.prototype, counting);
  try {
    work();
  } finally {
    Object.assign(String.prototype, { indexOf, lastIndexOf, charCodeAt, charAt });
  }
  return looks;
}
