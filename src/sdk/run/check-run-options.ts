import { isObject } from '../../conversation/is-object.js';
import {
  aString,
  type Expectation,
  expectKnown,
  expectValue,
  anObject as object,
} from '../base/expect-value.js';
import { isBoolean, isNumber, isText, isWholeNumber, listOf, oneOf, optional } from '../base/shape.js';
import { isStandard } from '../base/standard-schema.js';
import { checkTimeLimit } from '../base/timer.js';
import type { CompactionPolicy, Fallback, RunContext, RunLlmConfig, RunOptions } from './run-options.js';
import { completeLlmConfig } from './run-state.js';

const MAX_STEPS = 2 ** 31 - 1;

/** Throws `TypeError` for a missing, wrong or unknown option, and `RangeError` for a step limit or time limit out of range. */
export function checkRunOptions(task: string, options: RunOptions): void {
  expectValue('task', task, aString);
  expectValue('options', options, object);
  expectValue('llmConfig', options.llmConfig, object);
  checkLlmConfig('llmConfig', options.llmConfig);
  expectKnown('options', options, optionFields);
  checkGiven('', { ...options }, optionFields);
  for (const [index, fallback] of (options.fallbacks ?? []).entries()) {
    expectValue(`fallbacks[${index}].llmConfig`, fallback.llmConfig, object);
    checkFields(`fallbacks[${index}]`, fallback, fallbackFields);
    checkLlmConfig(`fallbacks[${index}].llmConfig`, fallback.llmConfig);
  }
  checkFields('context', options.context ?? {}, contextFields);
  checkFields('compaction', options.compaction ?? {}, compactionFields);
  checkFields('phaseInstructions', options.phaseInstructions ?? {}, phaseFields);
  if (options.record && options.extensions === false)
    throw new TypeError('record: responses have no records with extensions: false. Remove one of the two.');
  checkTimeLimit('inputTimeoutMs', options.inputTimeoutMs);
  checkTimeLimit('toolTimeoutMs', options.toolTimeoutMs);
  const { maxSteps = 1 } = options;
  if (Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= MAX_STEPS) return;
  throw new RangeError(`maxSteps must be a whole number from 1 to ${MAX_STEPS}, not ${maxSteps}.`);
}

function checkLlmConfig(path: string, given: RunLlmConfig): void {
  expectValue(`${path}.modelName`, given.modelName, name);
  expectKnown(path, given, llmFields);
  // In fields of the request, null means the same as absent (rule: null-is-absent).
  const fields = Object.entries(given).filter(([, value]) => value !== null);
  checkGiven(`${path}.`, Object.fromEntries(fields), llmFields);
  checkReserve(path, given);
}

/**
 * The expected value of each option; null if other code checks the option. The compiler reports an option without an
 * entry.
 */
type Expectations<Name extends string> = Readonly<Record<Name, Expectation | null>>;

const name: Expectation = [(value) => isText(value) && value !== '', 'a string with at least 1 character'];
const count: Expectation = [(value) => isWholeNumber(value) && Number(value) >= 1, 'a whole number from 1'];
const number: Expectation = [isNumber, 'a number'];
const list: Expectation = [Array.isArray, 'a list'];
const callable: Expectation = [(value) => typeof value === 'function', 'a function'];
const flag: Expectation = [isBoolean, 'true or false'];
const choice = (...values: readonly string[]): Expectation => [
  oneOf(...values),
  `one of: ${values.join(', ')}`,
];

export const llmFields: Expectations<keyof RunLlmConfig> = {
  modelName: null,
  tokenLimit: count,
  reservedOutputTokens: count,
  temperature: number,
  provider: name,
  reasoningEffort: null,
  maxOutputTokens: count,
  deadlineMs: count,
  contextShare: number,
  seed: [isWholeNumber, 'a whole number'],
};

const fallbackFields: Expectations<keyof Fallback> = { llmConfig: null, llmKey: aString };

export const contextFields: Expectations<keyof RunContext> = {
  paths: [optional(listOf(isText)), 'a list of strings'],
  pinned: [optional(listOf(isText)), 'a list of strings'],
  focus: null,
  vectorResults: null,
  inline: null,
};

const compactionFields: Expectations<keyof CompactionPolicy> = {
  strategy: choice('mask', 'summarize'),
  targetTokens: count,
};

export const phaseFields: Expectations<keyof NonNullable<RunOptions['phaseInstructions']>> = {
  reason: null,
  act: null,
  observe: null,
};

const optionFields: Expectations<keyof RunOptions> = {
  llmConfig: null,
  tools: [
    (value) => Array.isArray(value) || typeof value === 'function',
    'a list of tools, or a function that returns one',
  ],
  answerSchema: [
    (value) => isObject(value) || isStandard(value),
    'a schema of Zod or another library of Standard Schema, or a JSON Schema',
  ],
  context: object,
  attachments: list,
  instructions: aString,
  protocol: choice('text', 'xml', 'json', 'native', 'auto'),
  strategy: choice('react', 'reason-act-observe'),
  maxSteps: null,
  phaseInstructions: object,
  onLastIteration: choice('answer', 'allow_action'),
  approve: callable,
  approvalRules: list,
  guards: [listOf((value) => typeof value === 'function'), 'a list of functions'],
  onInputRequest: callable,
  inputTimeoutMs: null,
  onInputTimeout: choice('end', 'continue'),
  clientTools: list,
  signal: [(value) => isObject(value) && 'aborted' in value, 'an AbortSignal'],
  compaction: object,
  toolTimeoutMs: null,
  fallbacks: [listOf(isObject), 'a list of objects with llmConfig'],
  history: list,
  tasks: list,
  retries: number,
  stream: flag,
  extensions: flag,
  report: choice('full', 'summary', 'none'),
  record: flag,
  onRequest: callable,
  projectId: aString,
  sessionId: aString,
};

/** Leaves out the fields that this version does not know, such as those in a file of another version. */
export function knownFields<Options>(given: Options, fields: Expectations<keyof Options & string>): Options {
  if (!isObject(given)) return given; // an edited file may lack it; `checkRunOptions` reports it
  const known = Object.entries(given).filter(([field]) => Object.hasOwn(fields, field));
  return Object.fromEntries(known) as Options; // without fields that the type does not have
}

function checkFields(path: string, given: object, fields: Expectations<string>): void {
  expectKnown(path, given, fields);
  checkGiven(`${path}.`, { ...given }, fields);
}

/** Checks the fields that are set. */
function checkGiven(prefix: string, values: Record<string, unknown>, fields: Expectations<string>): void {
  for (const [field, expectation] of Object.entries(fields))
    if (expectation && values[field] !== undefined) expectValue(prefix + field, values[field], expectation);
}

function checkReserve(path: string, llmConfig: RunLlmConfig): void {
  const { tokenLimit, reservedOutputTokens } = completeLlmConfig(llmConfig);
  if (reservedOutputTokens < tokenLimit) return;
  throw new TypeError(
    `${path}.reservedOutputTokens: must be less than tokenLimit (${reservedOutputTokens} is not less than ${tokenLimit}).`,
  );
}
