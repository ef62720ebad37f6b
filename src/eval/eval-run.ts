import type { RecordedStep } from '../contract/recorded-step.js';
import type { Step } from '../contract/step.js';
import type { Trajectory } from '../sdk/run/trajectory.js';
import type { PromptText, Reading } from './eval-report.js';
import type { WrittenReply } from './parser.js';

/** A saved run, reduced to the fields that an evaluation needs. */
export interface EvalRun {
  /** Path of the run's file within the given folder, with `/` as separator. */
  readonly name: string;
  readonly task: string;
  readonly steps: readonly EvalStep[];
}

/** One step of a saved run. */
export interface EvalStep {
  /** Position in the run, counted from 1. */
  readonly number: number;
  /** The request; null in a run that was saved without its requests. */
  readonly request: RecordedStep['request'] | null;
  readonly prompt: PromptText | null;
  readonly reply: WrittenReply;
  readonly reading: Reading;
}

/**
 * Returns the steps of a saved run whose replies were saved. The records are those of the first steps; the `request` of
 * the others is null.
 */
export function toEvalRun(name: string, saved: Trajectory): EvalRun {
  const { task, recordedSteps = [] } = saved;
  const others = fromResponses(saved).slice(recordedSteps.length);
  return { name, task, steps: [...recordedSteps.map(fromRecorded), ...others] };
}

const fromRecorded = (step: RecordedStep, index: number): EvalStep => ({
  number: index + 1,
  request: step.request,
  prompt: step.prompt,
  reply: replyOf(step),
  reading: readingOf(step.response),
});

/** Returns a recorded reply, with the other facts that decide how it is parsed. */
export const replyOf = ({ request, response, ...step }: RecordedStep): WrittenReply => ({
  text: step.completion_text,
  calls: step.completion_calls ?? [],
  tools: request.tools ?? [],
  segment: request.available_tools_prompt_segment ?? '',
  response,
  hasAnswerSchema: Boolean(request.answer_schema),
  isPlain: request.terms?.toolChoice === 'none',
});

/** Builds the steps of a run from the text of its replies. */
function fromResponses({ responses, tools, options }: Trajectory): readonly EvalStep[] {
  return responses.flatMap((response, index) => {
    const { completion_text: text, parse } = response;
    if (text === null) return [];
    const hasAnswerSchema = options.answerSchema !== undefined;
    const lacksCalls = parse?.dialect === 'native';
    const reply = {
      text,
      calls: [],
      lacksCalls,
      tools,
      segment: '',
      response,
      hasAnswerSchema,
      isPlain: false,
    };
    return [{ number: index + 1, request: null, prompt: null, reply, reading: readingOf(response) }];
  });
}

/** Returns how the service parsed a reply. */
export function readingOf(response: RecordedStep['response'] | Step): Reading {
  const { action_details: first, additional_actions: more, context_report: report } = response;
  const calls = [first, ...more].flatMap((call) => call ?? []);
  const isCut = new Set(['truncated', 'masked', 'dropped']);
  return {
    outcome: response.parse?.outcome ?? 'none',
    calls: calls.map(({ tool_name, tool_args }) => ({ tool: tool_name, args: tool_args })),
    thought: response.thought,
    answer: response.direct_response,
    value: response.answer ?? null,
    promptTokens: report?.prompt_tokens ?? null,
    inputTokens: response.usage?.input_tokens ?? null,
    outputTokens: response.usage?.output_tokens ?? null,
    leftOut: (report?.items ?? []).flatMap(({ kind, id, status }) =>
      isCut.has(status) ? [`${kind} ${id} ${status}`] : [],
    ),
  };
}
