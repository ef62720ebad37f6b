/** A decoded input: a named key such as `enter`, `ctrl-c` or `alt-left`, typed text, a paste, or the end of input. */
export interface KeyPress {
  readonly name: 'text' | 'paste' | 'closed' | (string & {});
  /** Typed or pasted text; empty for named keys. */
  readonly text: string;
}

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/**
 * Maximum number of characters of typed input in one read. A busy program gets several keys in one read, but not more
 * than this.
 */
const MAX_TYPED_CHARS = 40;

const named = (name: string): KeyPress => ({ name, text: '' });

/** Time after which a single escape character counts as the Esc key and not as the beginning of a sequence. */
const ESCAPE_MS = 50;
/** Maximum pause of a terminal within a paste or sequence. */
const SILENCE_MS = 500;

/**
 * Decodes keys from terminal input. If the terminal marks the beginning and the end of a paste, the paste is one key
 * press, even if it arrives in several reads. A paste without these markers is recognised as a long read with a line
 * break inside, since nobody types that.
 */
export class KeyDecoder {
  #rest = '';
  #pasted: string[] | undefined;
  /** Reads that belong to a paste without markers. They follow each other faster than typing. */
  readonly #unmarked: string[] = [];
  /** True if the end marker of the paste has not arrived in time, so the text so far has been reported. */
  #isOverdue = false;

  /** Time after which `flush` should run if nothing is read; undefined if no input is pending. */
  get flushAfterMs(): number | undefined {
    if (this.#pasted) return this.#pasted.length > 0 || !this.#isOverdue ? SILENCE_MS : undefined;
    if (this.#unmarked.length > 0) return ESCAPE_MS;
    if (this.#rest === '') return undefined;
    return this.#rest.length > 2 ? SILENCE_MS : ESCAPE_MS;
  }

  /** Returns the keys of a read; incomplete input waits for the next one. */
  push(read: string): readonly KeyPress[] {
    if (this.#isUnmarked(read)) {
      this.#unmarked.push(read);
      return [];
    }
    if (this.#isOverdue && isSingleKey(read)) this.#endPaste();
    this.#rest += read;
    return this.#readAll();
  }

  /**
   * Reports pending input after a pause: a single escape character as the Esc key, and an unfinished paste with the
   * text that has arrived. Later text still belongs to the paste until its end marker, but a single key ends the paste.
   */
  flush(): readonly KeyPress[] {
    if (this.#unmarked.length > 0) return [paste(this.#unmarked.splice(0).join(''))];
    if (this.#pasted) {
      this.#isOverdue = true;
      return [paste(this.#pasted.splice(0).join(''))];
    }
    const keys: KeyPress[] = [];
    while (this.#rest !== '') keys.push(this.#takeBegun(), ...this.#readAll());
    return keys;
  }

  /**
   * Returns true if the read belongs to a paste without markers. Reads that follow immediately belong to the paste too,
   * so a line break at its end is not taken for the Enter key.
   */
  #isUnmarked(read: string): boolean {
    if (this.#unmarked.length > 0) return true;
    const isBetween = this.#rest === '' && this.#pasted === undefined;
    return isBetween && read.length > MAX_TYPED_CHARS && unmarkedPaste.test(read);
  }

  #readAll(): KeyPress[] {
    const keys: KeyPress[] = [];
    while (this.#rest !== '') {
      const key = this.#pasted ? this.#readPaste(this.#pasted) : this.#readKey();
      if (key === undefined) break;
      if (key !== 'pasting') keys.push(key);
    }
    return keys;
  }

  /** Reads paste content. Only new text is searched, since a long paste arrives in many reads. */
  #readPaste(parts: string[]): KeyPress | undefined {
    const end = this.#rest.indexOf(PASTE_END);
    const taken = end >= 0 ? end : this.#rest.length - possibleStart(this.#rest);
    if (taken > 0) parts.push(this.#rest.slice(0, taken));
    this.#rest = this.#rest.slice(end >= 0 ? end + PASTE_END.length : taken);
    if (end < 0) return undefined;
    this.#pasted = undefined;
    this.#isOverdue = false;
    return paste(parts.join(''));
  }

  /** Ends the paste. Drops the beginning of an end marker, if one has arrived. */
  #endPaste(): void {
    this.#pasted = undefined;
    this.#isOverdue = false;
    this.#rest = '';
  }

  #readKey(): KeyPress | 'pasting' | undefined {
    const [text] = plainText.exec(this.#rest) ?? [];
    if (text !== undefined) return this.#take(text.length, typed(text));
    const [sequence] = escapeSequence.exec(this.#rest) ?? [];
    if (sequence === undefined && begunSequence.test(this.#rest)) return undefined;
    if (sequence === undefined) return this.#takeBegun();
    if (sequence !== PASTE_START) return this.#take(sequence.length, named(nameOfSequence(sequence)));
    this.#rest = this.#rest.slice(sequence.length);
    this.#pasted = [];
    return 'pasting';
  }

  /**
   * Removes an escape character from the input, together with the next character if both are one key. Returns the key:
   * Esc, or a character with Alt.
   */
  #takeBegun(): KeyPress {
    const [whole = this.#rest.charAt(0)] = introducer.exec(this.#rest) ?? [];
    return this.#take(whole.length, named(nameOfSequence(whole)));
  }

  #take(length: number, key: KeyPress): KeyPress {
    this.#rest = this.#rest.slice(length);
    return key;
  }
}

const typed = (text: string): KeyPress => ({ name: 'text', text });

/** Normalizes a paste: `\n` line breaks and no control characters. */
const paste = (text: string): KeyPress => ({
  name: 'paste',
  text: text
    .replace(/\r\n?/g, '\n')
    .replace(colours, '')
    .replace(/[^\P{Cc}\n\t]/gu, ''),
});

/** If the text ends with the first characters of an end marker, returns their number, otherwise 0. */
function possibleStart(text: string): number {
  for (let length = PASTE_END.length - 1; length > 0; length -= 1)
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  return 0;
}

/** Key names of control characters and fixed sequences. */
const keyNames: Readonly<Record<string, string>> = {
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'ctrl-j',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'ctrl-h',
  '\u001b\r': 'alt-enter',
  '\u001b\n': 'alt-enter',
  '\u001b\u007f': 'alt-backspace',
  '\u001b\b': 'alt-backspace',
  '\u001b[Z': 'shift-tab',
  '\u001b[13;2u': 'shift-enter',
  '\u001b[27;2;13~': 'shift-enter',
  '\u001f': 'ctrl-_',
};

/** Key names by final character of CSI and SS3 sequences, or by number before `~` (xterm's ctlseqs). */
const sequenceKeys: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end' },
  ...{
    '1~': 'home',
    '3~': 'delete',
    '4~': 'end',
    '5~': 'page-up',
    '6~': 'page-down',
    '7~': 'home',
    '8~': 'end',
  },
};
const modifiers: Readonly<Record<string, string>> = { 2: 'shift-', 3: 'alt-', 5: 'ctrl-', 9: 'alt-' };

function nameOfSequence(sequence: string): string {
  const known = keyNames[sequence];
  if (known) return known;
  const [, number = '', modifier = '', final = ''] =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
    /^\u001b(?:O|\[)(\d*)(?:;(\d+))?([A-Za-z~])$/.exec(sequence) ?? [];
  const key = sequenceKeys[final === '~' ? `${number}~` : final];
  if (key) return `${modifiers[modifier] ?? ''}${key}`;
  const code = sequence.charCodeAt(0);
  if (sequence.length === 1 && code > 0 && code < 27) return `ctrl-${String.fromCharCode(code + 96)}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Alt is an escape before the character
  return /^\u001b.$/u.test(sequence) ? `alt-${sequence.slice(1).toLowerCase()}` : 'unknown';
}

/** Returns true if the read is a single key and not a marker of a paste. */
const isSingleKey = (read: string): boolean =>
  [...read].length === 1 || (escapeSequence.exec(read)?.[0] === read && !/^..20[01]~/s.test(read));

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const colours = /\u001b\[[0-?]*[ -/]*[@-~]/g;
const plainText = /^\P{Cc}+/u;
/** CSI sequences after the escape, including Linux console keys and the mouse of old terminals. */
const CSI = String.raw`\[(?:\[[A-E]|M\P{Cc}{3}|(?![[M])[0-?]*[ -/]*[@-~])`;
/** Responses of a terminal about itself, such as its colours. */
const TERMINAL_RESPONSE = String.raw`[\]P^_]\P{Cc}*(?:\u0007|\u001b\\)`;
const ALT = String.raw`[\b\n\r\u007f]|(?![[\]OP^_])\P{Cc}`;
const escapeSequence = new RegExp(
  String.raw`^(?:(?!\u001b)\p{Cc}|\u001b(?:${CSI}|O[A-Za-z]|${TERMINAL_RESPONSE}|${ALT}))`,
  'u',
);
const begunSequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
  /^\u001b(?:\[(?:\[|M\P{Cc}{0,2}|[0-?]*[ -/]*)|O|[\]P^_]\P{Cc}*\u001b?)?$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const introducer = /^\u001b[[\]OP^_]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a read with an escape sequence contains keys and is no paste
const unmarkedPaste = /^[^\u001b]*[\r\n]\n?[^\u001b\r\n][^\u001b]*$/;
