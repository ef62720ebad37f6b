import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { digestOf } from '../../../../src/service/operations/access/token.js';
import { readTokenEntries, TokenFileError } from '../../../../src/service/operations/access/token-entries.js';

const sha256 = digestOf('canary');
const project = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const entry = { name: 'ci', sha256, projects: 'all' };

function problemsOf(text: string): readonly string[] {
  try {
    readTokenEntries(text);
  } catch (error) {
    if (error instanceof TokenFileError) return error.problems;
    throw error;
  }
  return [];
}

const fileWith = (...entries: object[]): string => stringify({ tokens: entries });

describe('reading a file of tokens (rule: token-file)', () => {
  test('a token file is YAML or JSON, and its ids and digests may be in upper or lower case', () => {
    const text = `
# who may call
tokens:
  - name: ci
    sha256: "${sha256.toUpperCase()}"
    projects: all
  - name: shop-backend
    sha256: ${digestOf('other')}
    projects: [${project.toUpperCase()}]
    expires: 2027-01-31
    limits: { requestsPerMinute: 60, requestsAtOnce: 4, tokensPerDay: 2000000 }
`;
    const callers = [
      { name: 'ci', projects: 'all', expiresAt: Number.POSITIVE_INFINITY, allowance: { requestsAtOnce: 32 } },
      {
        name: 'shop-backend',
        projects: new Set([project]),
        expiresAt: Date.UTC(2027, 1, 1),
        allowance: { requestsPerMinute: 60, requestsAtOnce: 4, tokensPerDay: 2_000_000 },
      },
    ];
    expect(readTokenEntries(text).map(({ caller }) => caller)).toEqual(callers);
    const json = JSON.stringify({
      tokens: [{ ...entry, projects: [], expires: '2027-01-31T12:00:00+02:00' }],
    });
    expect(readTokenEntries(json)).toEqual([
      {
        sha256,
        caller: {
          name: 'ci',
          projects: new Set(),
          expiresAt: Date.UTC(2027, 0, 31, 10),
          allowance: { requestsAtOnce: 32 },
        },
      },
    ]);
  });

  test('a file of tokens may have an empty list', () => {
    expect(readTokenEntries('tokens: []')).toEqual([]);
  });

  test.each([
    ['', 'expected `tokens:` and a list of entries'],
    ['tokens:', 'expected `tokens:` and a list of entries'],
    ['tokens: all', 'expected `tokens:` and a list'],
    ['- name: ci', 'expected `tokens:` and a list'],
    ['tokens: []\nmore: 1', 'expected `tokens:` and a list'],
    ['tokens:\n - {', 'line 2, column 5: expected YAML or JSON'],
    ['tokens: []\ntokens: []', 'line 2, column 1: expected YAML or JSON'],
    [fileWith({ sha256, projects: 'all' }), 'tokens[0].name: expected a name of at most 64'],
    [fileWith({ ...entry, name: 'sk-canary-0123456789' }), 'tokens[0].name: expected a name'],
    [fileWith({ ...entry, name: 'stepwise_canary' }), 'tokens[0].name: expected a name'],
    [fileWith({ ...entry, name: 'a\nb' }), 'tokens[0].name: expected a name'],
    [fileWith({ ...entry, name: 5 }), 'tokens[0].name: expected a name'],
    [
      fileWith({ ...entry, sha256: 'stepwise_canary' }),
      'tokens[0].sha256: expected the SHA-256 of the token',
    ],
    [fileWith({ ...entry, sha256: 12 }), 'tokens[0].sha256: expected the SHA-256'],
    [fileWith({ name: 'ci', sha256 }), 'tokens[0].projects: expected all, or a list of project ids'],
    [fileWith({ ...entry, projects: 'some' }), 'tokens[0].projects: expected all, or'],
    [fileWith({ ...entry, projects: [project, 'canary'] }), 'tokens[0].projects[1]: expected all, or'],
    [fileWith({ ...entry, expires: 'soon' }), 'tokens[0].expires: expected a day such as 2027-01-31'],
    [fileWith({ ...entry, expires: '2027-02-30' }), 'tokens[0].expires: expected a day'],
    [fileWith({ ...entry, expires: 2027 }), 'tokens[0].expires: expected a day'],
    [
      fileWith({ ...entry, limits: 5 }),
      'tokens[0].limits: expected an object with any of requestsPerMinute, requestsAtOnce',
    ],
    [
      fileWith({ ...entry, limits: { rate: 5 } }),
      'tokens[0].limits: expected an object with any of requestsPerMinute',
    ],
    [
      fileWith({ ...entry, limits: { tokensPerDay: 0 } }),
      'tokens[0].limits.tokensPerDay: expected a whole number of at least 1',
    ],
    [fileWith({ ...entry, project: 'all' }), 'tokens[0]: expected an object with name, sha256, projects'],
    [
      fileWith(entry, { ...entry, sha256: digestOf('b') }),
      'tokens[1].name: an earlier entry has the same value',
    ],
    [fileWith(entry, { ...entry, name: 'b' }), 'tokens[1].sha256: an earlier entry has the same value'],
    ['a: &a [x]\ntokens: *a', 'expected YAML or JSON without aliases'],
  ])('the invalid file of tokens %j is reported with what to write instead, without its values', (text, problem) => {
    const problems = problemsOf(text);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems.join()).not.toMatch(/canary|Invalid|received/);
  });

  test('reading a random file of tokens only throws TokenFileError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map((value) => stringify(value)),
        ),
        (text) => {
          expect(problemsOf(text).length).toBeGreaterThan(0);
        },
      ),
    );
  });
});
