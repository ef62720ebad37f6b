import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Unit } from '../../../../src/conversation/units.js';
import {
  foldHistory as foldUnits,
  type WeighedUnit,
} from '../../../../src/service/step/history/fold-history.js';

const unit = (type: 'task' | 'step', full: number, masked: number): WeighedUnit => ({
  unit: (type === 'task'
    ? { type: 'user', index: 0, content: 'task', isTask: true }
    : { type: 'assistant', index: 0, content: 'step', providerState: undefined }) satisfies Unit,
  full,
  masked,
  attachments: [],
});

function foldHistory(all: readonly WeighedUnit[], available: number) {
  const folded = foldUnits(all, available);
  return { forms: folded.units.map(({ form }) => form), tokens: folded.tokens };
}

const units = fc.array(
  fc.record({
    type: fc.constantFrom('task' as const, 'step' as const),
    full: fc.nat(400),
    masked: fc.nat(30),
  }),
  { minLength: 1, maxLength: 60 },
);
const weighed = units.map((all) => all.map(({ type, full, masked }) => unit(type, full, masked)));

test('no unit of the history is masked while the history fits its token share (rule: fold)', () => {
  const fold = foldHistory([unit('task', 10, 5), unit('step', 80, 5)], 90);
  expect(fold).toEqual({ forms: ['full', 'full'], tokens: 90 });
});

test('old units of the history are masked before any unit is dropped (rule: fold)', () => {
  const fold = foldHistory([unit('task', 10, 5), unit('step', 60, 5), unit('step', 35, 5)], 100);
  expect(fold.forms).toEqual(['full', 'masked', 'full']);
});

test('a cut of a history of small units leaves exactly half of its token share (rule: fold)', () => {
  const steps = Array.from({ length: 100 }, () => unit('step', 10, 10));
  expect(foldHistory([unit('task', 10, 10), ...steps], 1_000).tokens).toBe(500);
});

test('units of the history are dropped, the oldest first, if masking does not free enough (rule: fold)', () => {
  const old = [unit('step', 30, 20), unit('step', 30, 20), unit('step', 30, 20)];
  const fold = foldHistory([unit('task', 10, 5), ...old, unit('step', 10, 5)], 100);
  expect(fold.forms).toEqual(['full', 'dropped', 'dropped', 'masked', 'full']);
});

test('the first task, the latest task and the newest unit of the history always stay in full (rule: fold)', () => {
  fc.assert(
    fc.property(weighed, fc.integer({ min: 1, max: 2_000 }), (all, share) => {
      const { forms } = foldHistory(all, share);
      const tasks = all.flatMap(({ unit: { type } }, index) => (type === 'user' ? [index] : []));
      const untouchable = [tasks[0], tasks.at(-1), all.length - 1].filter((index) => index !== undefined);
      expect(untouchable.map((index) => forms[index])).toEqual(untouchable.map(() => 'full'));
    }),
  );
});

test('a later step never restores units that an earlier step has masked or dropped (rule: fold-cuts-once)', () => {
  const rank = { full: 0, masked: 1, dropped: 2 };
  fc.assert(
    fc.property(weighed, fc.integer({ min: 1, max: 2_000 }), (all, share) => {
      const before = foldHistory(all.slice(0, -1), share);
      const after = foldHistory(all, share);
      const newCut = before.tokens + (all.at(-1)?.full ?? 0) > share;
      before.forms.forEach((form, index) => {
        const now = after.forms[index] ?? 'full';
        if (newCut) expect(rank[now]).toBeGreaterThanOrEqual(rank[form]);
        else expect(now).toBe(form);
      });
    }),
  );
});

test('the shortened history fits its token share if the protected units alone fit (rule: fold)', () => {
  fc.assert(
    fc.property(weighed, fc.integer({ min: 1, max: 4_000 }), (all, share) => {
      const { forms, tokens } = foldHistory(all, share);
      const sum = all.reduce((total, each, index) => {
        const form = forms[index] ?? 'full';
        return total + (form === 'dropped' ? 0 : each[form]);
      }, 0);
      expect(tokens).toBe(sum);
      const tasks = all.filter(({ unit: { type } }) => type === 'user');
      const minimum = [...new Set([tasks[0], tasks.at(-1), all.at(-1)])].reduce(
        (total, each) => total + (each?.full ?? 0),
        0,
      );
      if (minimum <= share) expect(tokens).toBeLessThanOrEqual(share);
    }),
  );
});
