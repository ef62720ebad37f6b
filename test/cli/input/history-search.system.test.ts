import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HistorySearch } from '../../../src/cli/input/history-search.js';
import { lineOf } from '../../../src/cli/input/line.js';
import { LineHistory } from '../../../src/cli/input/line-history.js';
import { answer, enterKey, escapeKey, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { needs } from '../../support/needs.js';

const { describe: onTerminal } = needs(terminal);
const ctrlR = '\u0012';

const lines = ['fix the tests', 'Explain the parser', 'run the tests again', 'what is here?'];
const searched = (...keys: readonly string[]) => {
  const history = new LineHistory(lines);
  const search = new HistorySearch(history, lineOf('a draft'));
  const named = (key: string) => (/^[a-z]+-[a-z]$|^(?:enter|escape|backspace|up)$/.test(key) ? key : 'text');
  const outcomes = keys.map((key) =>
    search.onKey({ name: named(key), text: named(key) === 'text' ? key : '' }),
  );
  return { line: search.line, outcome: outcomes.at(-1), hint: search.hint, history };
};

describe('history search (rule: terminal)', () => {
  test('history search narrows with each letter; Ctrl-R finds older lines, Ctrl-S newer ones', () => {
    expect(searched('t', 'e').line).toEqual({ text: 'run the tests again', cursor: 8 });
    expect(searched('te', 'ctrl-r').line.text).toBe('fix the tests');
    expect(searched('te', 'ctrl-r', 'sts').line.text).toBe('fix the tests');
    expect(searched('te', 'ctrl-r', 'ctrl-s').line.text).toBe('run the tests again');
    expect(searched('the p').line.text).toBe('Explain the parser');
    expect(searched('e', 'xpl', 'backspace', 'backspace', 'backspace').line.text).toBe('what is here?');
  });

  test('history search is case-sensitive only if the search text has capitals', () => {
    expect(searched('explain').line.text).toBe('Explain the parser');
    expect(searched('EXPLAIN').line.text).toBe('a draft');
  });

  test('history search keeps the last match if a longer search text has none, and says so', () => {
    const { line, hint } = searched('te', 'xyz');
    expect(line.text).toBe('run the tests again');
    expect(hint).toContain('not found: texyz');
    expect(searched('te', 'ctrl-r', 'ctrl-r').line.text).toBe('fix the tests');
  });

  test('in a history search, Enter accepts the match, Esc restores the draft, and ↑ continues from the match', () => {
    expect(searched('te', 'enter')).toMatchObject({
      outcome: 'accepted',
      line: lineOf('run the tests again'),
    });
    expect(searched('te', 'escape')).toMatchObject({ outcome: 'cancelled', line: lineOf('a draft') });
    const { outcome, history } = searched('te', 'up');
    expect(outcome).toBe('unhandled');
    expect(history.up('')).toBe('Explain the parser');
  });

  test('every history match contains the search text and is older than the one before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 4 })),
        fc.string({ minLength: 1, maxLength: 2 }),
        (known, wanted) => {
          const history = new LineHistory(known);
          let found = history.find(wanted, { direction: 'older' });
          const places: number[] = [];
          while (found) {
            expect(found.text.toLowerCase()).toContain(wanted.toLowerCase());
            expect(found.place).toBeLessThan(places.at(-1) ?? known.length);
            places.push(found.place);
            found = history.find(wanted, { direction: 'older', from: found.place });
          }
        },
      ),
    );
  });
});

onTerminal('Ctrl-R in the input line (rule: terminal)', () => {
  test('Ctrl-R shows the match and the search text; Enter accepts the match without sending it', async () => {
    const bench = await setUp([answer('One.'), answer('Two.'), answer('Three.')]);
    const pty = bench.open(scripted);
    await pty.onScreen('›');
    for (const [task, reply] of [
      ['Look at the first', 'One.'],
      ['Look at the second', 'Two.'],
    ] as const) {
      pty.type(`${task}${enterKey}`);
      await pty.onScreen(reply);
    }
    pty.type(`half${ctrlR}`);
    await pty.onScreen('search: ▏');
    pty.type('look');
    await pty.onScreen('› Look at the second\nsearch: look▏');
    pty.type(ctrlR);
    await pty.onScreen('› Look at the first\nsearch: look');
    pty.type(escapeKey);
    await pty.offScreen('search:');
    await pty.onScreen('› half');
    pty.type(`${ctrlR}first`);
    await pty.onScreen('search: first▏');
    pty.type(enterKey);
    await pty.offScreen('search:');
    expect(bench.provider.requests).toHaveLength(2);
    pty.type(` thing${enterKey}`);
    await pty.onScreen('Three.');
    expect(bench.prompt(2)).toContain('Look at the first thing');
  }, 40_000);
});
