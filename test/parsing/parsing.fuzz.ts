import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderCall, renderXmlCall } from '../../src/conversation/call-text.js';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { anyText, argumentRecord, chunkLengths } from '../support/parsing/arbitraries.js';
import { loadCases } from '../support/parsing/cases.js';
import { accountsForAllText, streamsToTheSameResult } from '../support/parsing/properties.js';
import { tools } from '../support/parsing/tools.js';

/** `FUZZ_SEED` repeats a run; `FUZZ_SECONDS` limits each of the four suites. */
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
  `the parser reads any text, accounts for all of it, and streams it to the same result (FUZZ_SEED=${seed})`,
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

/**
 * Replies of `written-calls` only: those of `rulings` have text around the call that `accountsForAllText` does not
 * know.
 */
const given = loadCases('written-calls').map(({ text }) => text);

test(
  `the parser reads a cut, doubled or spliced conformance case without throwing (FUZZ_SEED=${seed})`,
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
  `the parser reads a rendered call back with equal arguments (FUZZ_SEED=${seed})`,
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
  `the parser reads a long run of any text in at most two seconds of CPU (FUZZ_SEED=${seed})`,
  () => {
    fc.assert(
      fc.property(anyText, anyText, (prefix, unit) => {
        fc.pre(unit !== '');
        const text = prefix + unit.repeat(Math.ceil(2 ** 18 / unit.length));
        const before = process.cpuUsage();
        parseCompletion(text, tools);
        readSignatures(text);
        // The text has a quarter of a MiB. The limit is generous for slow machines, since the test looks for
        // superlinear growth.
        expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2000);
      }),
      bounded,
    );
  },
  timeoutMs,
);
