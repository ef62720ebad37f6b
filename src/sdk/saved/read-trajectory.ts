import type { RecordedStep } from '../../contract/recorded-step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import { isObject } from '../../conversation/is-object.js';
import { clientToolNames } from '../actions/client-tools.js';
import type { PendingApproval } from '../actions/pending-approval.js';
import {
  isBoolean,
  isJsonObject,
  isNumber,
  isText,
  listOf,
  oneOf,
  optional,
  shapeOf,
} from '../base/shape.js';
import {
  hasAttachmentShape,
  isError,
  isRecordedStep,
  isStep,
  isTask,
  isTool,
  isTurn,
} from '../base/wire-shapes.js';
import type {
  InlineContents,
  RetrievedChunk,
  RunContext,
  RunLlmConfig,
  RunOptions,
} from '../run/run-options.js';
import { type SavedOptions, savedOptions, type Trajectory } from '../run/trajectory.js';
import { savedRunOf } from './recorded-run.js';
import { upgradeSavedRun } from './upgrade-saved-run.js';

/**
 * Reads a saved run from JSON, also one of the former version 1. Throws `TypeError` for text that is no JSON or no saved run. Drops options that no saved
 * run has, such as approvals: a file must not grant permissions.
 */
export function readTrajectory(json: string): Trajectory {
  const value = upgradeSavedRun(parse(json));
  if (isRecording(value)) return savedRunOf(value.recordedSteps);
  if (!isTrajectory(value)) throw new TypeError('This is not a saved run of version 1 or 2.');
  return { ...value, options: savedOptions(value.options) };
}

/** Returns the options of a run that continues the saved one. Tools are code, which a file cannot hold: add them. */
export function resumeOptions({ options, history, tasks, projectId, sessionId }: Trajectory): RunOptions {
  return { ...savedOptions(options), history, tasks, projectId, sessionId };
}

function parse(json: string): unknown {
  if (typeof json !== 'string')
    throw new TypeError('readTrajectory reads the text of a saved run. Pass JSON.stringify of this value.');
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new TypeError('A saved run is a JSON file; this is not.', { cause });
  }
}

const isLlmConfig = shapeOf<RunLlmConfig>({
  modelName: isText,
  tokenLimit: optional(isNumber),
  reservedOutputTokens: optional(isNumber),
  temperature: optional(isNumber),
  provider: optional(isText),
  reasoningEffort: optional(isText),
  seed: optional(isNumber),
  maxOutputTokens: optional(isNumber),
  deadlineMs: optional(isNumber),
  contextShare: optional(isNumber),
});

type Inline<Name extends keyof InlineContents> = NonNullable<InlineContents[Name]>[number];

const isInline = shapeOf<InlineContents>({
  files: optional(listOf(shapeOf<Inline<'files'>>({ path: isText, content: isText }))),
  pinned_items: optional(
    listOf(shapeOf<Inline<'pinned_items'>>({ id: isText, title: optional(isText), content: isText })),
  ),
});

const isChunk = shapeOf<RetrievedChunk>({
  path: isText,
  content: isText,
  score: optional(isNumber),
  start_line: optional(isNumber),
  end_line: optional(isNumber),
});

const isContext = shapeOf<RunContext>({
  paths: optional(listOf(isText)),
  pinned: optional(listOf(isText)),
  focus: optional(
    shapeOf<NonNullable<StepRequestInput['implicit_context']>>({
      last_focused_file_path: optional(isText),
      selection: optional(isJsonObject),
    }),
  ),
  vectorResults: optional(listOf(isChunk)),
  inline: optional(isInline),
});

const isOptions = shapeOf<SavedOptions>({
  llmConfig: isLlmConfig,
  strategy: optional(oneOf('react', 'reason-act-observe')),
  phaseInstructions: optional(isJsonObject),
  protocol: optional(oneOf('text', 'xml', 'json', 'native', 'auto')),
  maxSteps: optional(isNumber),
  onLastIteration: optional(oneOf('answer', 'allow_action')),
  extensions: optional(isBoolean),
  instructions: optional(isText),
  context: optional(isContext),
  answerSchema: optional(isJsonObject),
  clientTools: optional(listOf(oneOf(...clientToolNames))),
  record: optional(isBoolean),
});

const isPending = shapeOf<PendingApproval>({
  id: isText,
  toolName: isText,
  toolArgs: isJsonObject,
  argsHash: isText,
  preview: optional(isText),
  waitsAgain: optional(isText),
});

const hasShape = shapeOf<Trajectory>({
  format: oneOf('stepwise-run'),
  version: oneOf(2),
  task: isText,
  attachments: optional(listOf(hasAttachmentShape)),
  projectId: isText,
  sessionId: isText,
  options: isOptions,
  tools: listOf(isTool),
  beganWith: listOf(isTurn),
  responses: listOf(isStep),
  observations: listOf(isTurn),
  history: listOf(isTurn),
  tasks: listOf(isTask),
  recordedSteps: optional(listOf(isRecordedStep)),
  result: optional(
    shapeOf<Pick<NonNullable<Trajectory['result']>, 'answer' | 'stopReason' | 'error' | 'steps' | 'pending'>>(
      {
        answer: optional(isText),
        stopReason: isText,
        error: optional(isError),
        steps: optional(listOf(isJsonObject)),
        pending: optional(listOf(isPending)),
      },
    ),
  ),
});

/** A file that a service wrote, which has nothing but the steps of a session. */
interface Recording {
  readonly recordedSteps: readonly [RecordedStep, ...RecordedStep[]];
}

const hasRecording = shapeOf<Pick<Trajectory, 'format' | 'version' | 'recordedSteps'>>({
  format: oneOf('stepwise-run'),
  version: oneOf(2),
  recordedSteps: listOf(isRecordedStep),
});

function isRecording(value: unknown): value is Recording {
  if (!isObject(value) || 'responses' in value || !hasRecording(value)) return false;
  return Array.isArray(value['recordedSteps']) && value['recordedSteps'].length > 0;
}

/** Checks the whole file, so that damage is reported here and not by the code that walks the run later. */
const isTrajectory = (value: unknown): value is Trajectory => hasShape(value);
