import { expect, test } from '@jest/globals';
import { startersFor } from '../../src/playground/project/starters.js';

test('suggested tasks name only files of the open folder (rule: playground-project)', () => {
  const paths = [
    'lib/deep/a.py',
    'lib/main.py',
    'tests/test_main.py',
    'pyproject.toml',
    'README.md',
    'logo.png',
  ];
  expect(startersFor(paths)).toEqual([
    'What is this project for? Begin with README.md.',
    'What does lib/main.py do?',
    'Which scripts and dependencies does pyproject.toml name?',
  ]);
  expect(startersFor(['logo.png'])).toEqual(['Which files are in this folder, and what is each one for?']);
});
