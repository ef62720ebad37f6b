import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { wireTypes } from '../../scripts/wire-types.js';
import type { compactionRequestSchema, compactionSchema } from '../../src/contract/compaction.js';
import type { errorCodes } from '../../src/contract/error-codes.js';
import type { modelListSchema } from '../../src/contract/model-list.js';
import type { previewSchema } from '../../src/contract/preview.js';
import type { sourceStepSchema } from '../../src/contract/source-step.js';
import type { errorResponseSchema, stepSchema } from '../../src/contract/step.js';
import type { stepRequestSchema } from '../../src/contract/step-request.js';
import type { streamEventSchema } from '../../src/contract/stream.js';
import type {
  Compaction,
  CompactionRequest,
  CompactionRequestInput,
  ErrorCode,
  ErrorResponse,
  ModelList,
  Preview,
  SourceStep,
  Step,
  StepRequest,
  StepRequestInput,
  StreamEvent,
} from '../../src/contract/wire-types.js';

/** True if each of the types is assignable to the other; the compiler then accepts nothing but `true`. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

test('wire-types.ts matches the schemas (`npm run openapi` rewrites it)', () => {
  expect(readFileSync('src/contract/wire-types.ts', 'utf8')).toBe(wireTypes());
});

test('the types in wire-types.ts equal the types that Zod infers', () => {
  // The compiler checks this: a difference makes a `true` here an error.
  const same: [
    Same<Step, z.output<typeof stepSchema>>,
    Same<ErrorResponse, z.output<typeof errorResponseSchema>>,
    Same<SourceStep, z.output<typeof sourceStepSchema>>,
    Same<Preview, z.output<typeof previewSchema>>,
    Same<Compaction, z.output<typeof compactionSchema>>,
    Same<ModelList, z.output<typeof modelListSchema>>,
    Same<StreamEvent, z.output<typeof streamEventSchema>>,
    Same<StepRequest, z.output<typeof stepRequestSchema>>,
    Same<StepRequestInput, z.input<typeof stepRequestSchema>>,
    Same<CompactionRequest, z.output<typeof compactionRequestSchema>>,
    Same<CompactionRequestInput, z.input<typeof compactionRequestSchema>>,
    Same<ErrorCode, keyof typeof errorCodes>,
  ] = [true, true, true, true, true, true, true, true, true, true, true, true];
  expect(same).not.toContain(false);
});
