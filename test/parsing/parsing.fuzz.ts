import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderCall, renderXmlCall } from '../../src/conversation/call-text.js';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { anyText, argumentRecord, chunkLengths } from '../support/parsing/arbitraries.js';
import { loadCases } from '../support/parsing/cases.js';
import { accountsForAllText, streamsToTheSameResult } from '../support/parsing/properties.js';
import { tools } from '../support/parsing/tools.js';

/** `FUZZ_SEED` repeats a run, `FUZZ_SECONDS` bounds each of the four suites. */
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 14);
const bounded = {
  seed,
  numRuns: 10_000_000,
  interruptAfterTimeLimit: seconds * 1000,
  markInterruptAsFailure: false,
};
const timeoutMs = (seconds + 30) * 1000;

test(
  `any text is read, accounted for, and streams to the same result (FUZZ_SEED=${seed})`,
  () => {
    fc.assert(
      fc.property(anyText, chunkLengths, (text, lengths) => {
        expect(accountsForAllText(text)).toBe(true);
        expect(streamsToTheSameResult(text, lengths)).toBe(true);
        readSignatures(text);
      }),
      bounded,
    );
  },
  timeoutMs,
);

/** The rulings have wrappings of their own, whose words the account below does not know. */
const given = loadCases('written-calls').map(({ text }) => text);

test(
  `a given case, cut, doubled or spliced, is read without throwing (FUZZ_SEED=${seed})`,
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...given),
        fc.constantFrom(...given),
        fc.nat(),
        fc.nat(),
        anyText,
        (a, b, from, to, noise) => {
          const text = a.slice(0, from % (a.length + 1)) + noise + b.slice(to % (b.length + 1));
          expect(accountsForAllText(text)).toBe(true);
          expect(streamsToTheSameResult(text, [7])).toBe(true);
        },
      ),
      bounded,
    );
  },
  timeoutMs,
);

test(
  `a rendered call reads back equal (FUZZ_SEED=${seed})`,
  () => {
    fc.assert(
      fc.property(argumentRecord, fc.boolean(), (args, xml) => {
        const call = xml ? renderXmlCall('write_file', args) : renderCall('write_file', args);
        const { action } = parseCompletion(
          `Thought: x\n${xml ? call : `Action: ${call}`}\nObservation: y`,
          tools,
        );
        expect(action?.raw).toBe(call);
        expect(JSON.stringify(action?.toolArgs)).toBe(JSON.stringify(args));
      }),
      bounded,
    );
  },
  timeoutMs,
);

test(
  `long runs of anything take no more than a second (FUZZ_SEED=${seed})`,
  () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, unit) => {
        fc.pre(unit !== '');
        const text = prefix + unit.repeat(Math.ceil(2 ** 18 / unit.length));
        const before = process.cpuUsage();
        parseCompletion(text, tools);
        readSignatures(text);
        // a quarter of a MiB; the wide margin is for a slow machine, growth is what this looks for
        expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2000);
      }),
      bounded,
    );
  },
  timeoutMs,
);
