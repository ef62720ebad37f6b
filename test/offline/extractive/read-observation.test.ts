import { expect, test } from '@jest/globals';
import {
  isFailure,
  readHits,
  readLines,
  readPaths,
} from '../../../src/offline/extractive/prompt/read-observation.js';

const hit = { path: 'src/a.js', line: 12, text: 'const a = 1;' };

test.each([
  ['path:line: text', 'src/a.js:12: const a = 1;\nshowing 1 of 1 matches'],
  ['path:line:column:text', './src/a.js:12:7:const a = 1;'],
  ['a list of path:line: text', '- src/a.js:12: const a = 1;'],
  ['lines under a heading', 'src/a.js\n12: const a = 1;'],
  ['a JSON array', JSON.stringify([hit])],
  [
    'a JSON object',
    JSON.stringify({ matches: [{ file: 'src/a.js', line_number: 12, match: 'const a = 1;' }], total: 1 }),
  ],
])('hits are read from search results in the form: %s', (_form, observation) => {
  expect(readHits(observation)).toEqual([hit]);
});

test.each([
  'No matches.',
  'showing 0 of 0 matches',
  '',
  '[]',
  '{"matches": []}',
])('the observation %p has no hit', (observation) => {
  expect(readHits(observation)).toEqual([]);
});

test.each([
  ['a tab', 'src/a.js (lines 12-13 of 40)\n12\tconst a = 1;\n13\t'],
  ['a bar', '  12 | const a = 1;\n  13 |'],
  ['a colon', '12: const a = 1;\n13:'],
  ['no number at all', 'const a = 1;\n'],
])('lines of a file are read from an observation with %s before each text', (_form, observation) => {
  expect([...readLines(observation, 'src/a.js', 12)]).toEqual([hit, { ...hit, line: 13, text: '' }]);
});

test.each([
  ['Error: busy', true],
  ['error (404)', true],
  ['This call was not run.', true],
  ['error.ts:3: throw', false],
  ['error-handling.md:1: # Errors', false],
  ['errors/index.ts:1: x', false],
])('an observation that begins with %j is a failure: %j', (observation, isFailed) => {
  expect(isFailure(observation)).toBe(isFailed);
});

test('deeply nested JSON in an observation is not a hit', () => {
  expect(readHits(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toEqual([]);
});

test('the lines in an observation keep their numbers if the middle of the file was omitted (rule: offline-model)', () => {
  const cut = 'a.js (lines 3-40 of 90)\n3: one\n4: two\n[… 34 lines left out …]\n39: three\n40: four';
  expect([...readLines(cut, 'a.js', 3)].map(({ line, text }) => [line, text])).toEqual([
    [3, 'one'],
    [4, 'two'],
    [39, 'three'],
    [40, 'four'],
  ]);
});

test('numbers that are not line numbers stay part of the text', () => {
  const ports = '200: ok\n404: missing\n500: broken\n503: busy\nend\n';
  expect([...readLines(ports, 'codes.yml', 1)][1]).toEqual({
    path: 'codes.yml',
    line: 2,
    text: '404: missing',
  });
});

test.each([
  ['one path a line', './a.js\nsrc/b.js\nMakefile\nshowing 3 of 3 files', ['a.js', 'src/b.js', 'Makefile']],
  [
    'a tree',
    'shop/\n├── a.js\n└── src/\n    ├── b.js\n    └── deep/\n        └── c.js',
    ['shop/a.js', 'shop/src/b.js', 'shop/src/deep/c.js'],
  ],
  ['an indented tree', './\n  a.js\n  src/\n    b.js\n  c.js', ['a.js', 'src/b.js', 'c.js']],
])('paths are read from a file listing in the form of %s', (_form, observation, expected) => {
  expect(readPaths(observation)).toEqual(expected);
});

test.each([
  'src/a.js (lines 1-9 of 9)\n1\tone\n2\ttwo\n[lines 3-8 of 9 left out; ask for them with read_file]\n9\tnine',
  'one\ntwo\n[lines 3-8 of 9 left out]\nnine',
])('a notice about omitted lines is not read as a line of the file, and the next line keeps its number: %j', (text) => {
  expect([...readLines(text, 'src/a.js', 1)].map((each) => [each.line, each.text])).toEqual([
    [1, 'one'],
    [2, 'two'],
    [9, 'nine'],
  ]);
});

test('an observation whose content was left out has neither hits nor lines', () => {
  const masked = '[40 lines, 2000 characters left out; call the tool again to see them]';
  expect(readHits(masked)).toEqual([]);
  expect([...readLines(masked, 'src/a.js', 1)]).toEqual([]);
});
