/**
 * Text of a model or a file without what would act on the terminal: control characters other than line break and
 * tab, and marks that turn the direction of writing (they can make a command look like another).
 */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unsafe, '�');
}

const unsafe = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
