import { z } from 'zod';
import { list, optional, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';
import { toolDefinitionSchema } from './tool.js';

const lineNumber = wholeNumber.min(1);

const selectionSchema = z
  .object({ start_line: lineNumber, end_line: lineNumber })
  .meta({ id: 'LineSelection', description: 'Lines, counted from 1, both ends included.' });

const implicitContextSchema = z
  .object({
    last_focused_file_path: optional(z.string().min(1)),
    selection: optional(selectionSchema),
  })
  .meta({ id: 'ImplicitContext', description: "The editor's focus." });

const vectorSearchResultSchema = z
  .object({
    path: z.string().min(1),
    content: z.string(),
    score: optional(z.number()).meta({ format: 'double' }),
    start_line: optional(lineNumber),
    end_line: optional(lineNumber),
  })
  .meta({ id: 'VectorSearchResult', description: 'A chunk the client retrieved.' });

const inlineFileSchema = z
  .object({ path: z.string().min(1), content: z.string() })
  .meta({ id: 'InlineFile', description: 'A file sent along with the request.' });

const inlinePinnedItemSchema = z
  .object({ id: z.string().min(1), title: optional(z.string()), content: z.string() })
  .meta({ id: 'InlinePinnedItem', description: 'A pinned item sent along with the request.' });

const MANY = 10_000;
export const MAX_TURNS = MANY;

const inlineContextSchema = z
  .object({
    files: optional(list(inlineFileSchema, MANY)),
    pinned_items: optional(list(inlinePinnedItemSchema, MANY)),
  })
  .meta({ id: 'InlineContext', description: 'Contents sent along; they win over any other source.' });

const taskSchema = z
  .object({ id: wholeNumber, content: z.string(), status: z.enum(['todo', 'in_progress', 'completed']) })
  .meta({ id: 'TodoItem', description: 'An entry of the TODO list, which the model is shown.' });

const FEWER = 1_000;

const phaseInstructionsSchema = z
  .object({ reason: optional(z.string()), act: optional(z.string()), observe: optional(z.string()) })
  .meta({
    id: 'PhaseInstructions',
    description:
      "The caller's own words in place of a phase's built-in instruction. Send all of them with every step.",
  });

const reportDetailSchema = z.enum(['full', 'summary', 'none']).meta({
  id: 'ReportDetail',
  description:
    'How much of the context report is sent: all of it, without what was included whole, or nothing.',
});

const includeSchema = z
  .object({
    history: optional(z.boolean()).meta({
      description: 'Send `updated_conversation_history`; default true.',
    }),
    report: optional(reportDetailSchema).meta({ description: 'Default `summary`.' }),
    completion_text: optional(z.boolean()).meta({ description: "Send the model's raw text; default false." }),
  })
  .meta({ id: 'IncludeOptions', description: 'The size of the response.' });

const reasoningEffortSchema = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).meta({
  id: 'ReasoningEffort',
  description: 'How long the model may think; each provider takes some of them.',
});

const llmConfigSchema = z
  .object({
    modelName: z.string().min(1).max(256),
    tokenLimit: wholeNumber.min(1).meta({ description: 'Prompt and reply together, in tokens.' }),
    reservedOutputTokens: wholeNumber
      .min(1)
      .meta({ description: 'Kept for the reply; less than `tokenLimit`, else 400.' }),
    temperature: optional(z.number().min(0).max(2)).meta({ format: 'double' }),
    provider: optional(z.string().min(1).max(64)).meta({
      description: '`openai`, `anthropic` or a configured upstream; else the model name decides.',
    }),
    reasoningEffort: optional(reasoningEffortSchema),
    seed: optional(wholeNumber),
    maxOutputTokens: optional(wholeNumber.min(1)).meta({
      description: "The provider's output limit: at most, and by default, the reserve.",
    }),
    deadlineMs: optional(wholeNumber.min(1)).meta({
      description: "In milliseconds; capped by the server's.",
    }),
    contextShare: optional(z.number().min(0).max(1)).meta({
      format: 'double',
      description: 'Share of the free budget that context may take; default 0.5.',
    }),
  })
  .refine((config) => config.reservedOutputTokens < config.tokenLimit, {
    path: ['reservedOutputTokens'],
    error: 'must be less than tokenLimit',
  })
  .meta({ id: 'LlmConfig', description: 'The model, and its budget in tokens.' });

const userApiKeysSchema = z
  .object({
    llmKey: optional(z.string()).meta({
      format: 'password',
      description:
        "The caller's model key: 8 to 512 printable ASCII characters without spaces, else 401 `malformed_api_key`.",
    }),
  })
  .meta({
    id: 'UserApiKeys',
    description: 'Keys that are used for this request alone, and neither kept nor logged.',
  });

const protocolSchema = z
  .enum(['text', 'xml', 'json', 'native', 'auto'])
  .meta({ id: 'Protocol', description: 'How the model is taught to act.' });

const phaseSchema = z
  .enum(['reason', 'act', 'observe'])
  .meta({ id: 'Phase', description: 'A phase of the strict three-phase mode.' });

const onLastIterationSchema = z
  .enum(['answer', 'allow_action'])
  .meta({ id: 'OnLastIteration', description: 'What the last iteration must come to.' });

/** The request of one step. */
export const stepRequestSchema = z
  .object({
    project_id: z.uuid(),
    session_id: z.uuid(),
    user_query: z.string().meta({
      description:
        'The task; empty to go on after an observation. Empty without a task in the history is 400 with the detail `no_task`.',
    }),
    conversation_history: list(turnSchema, MANY),
    explicit_context_paths: optional(list(z.string().min(1), FEWER)).meta({
      description: 'Files or folders the user tagged; `path:10-40` takes lines.',
    }),
    pinned_item_ids_to_include: optional(list(z.string().min(1), FEWER)),
    implicit_context: optional(implicitContextSchema),
    vector_search_results_to_include: optional(list(vectorSearchResultSchema, FEWER)),
    available_tools_prompt_segment: optional(z.string()).meta({
      description: 'Tools in free text; signatures such as `read_file(path, start_line)` are read.',
    }),
    llm_config: llmConfigSchema,
    user_api_keys: optional(userApiKeysSchema),
    max_iterations_left: wholeNumber.min(0),
    tools: optional(list(toolDefinitionSchema, FEWER)),
    inline_context: optional(inlineContextSchema),
    tasks: optional(list(taskSchema, FEWER)),
    protocol: optional(protocolSchema).meta({
      description:
        'How the model is taught to act; default `text`. `native` without `tools` is 400 with the detail `tools_required`.',
    }),
    phase: optional(phaseSchema).meta({ description: 'Strict three-phase mode.' }),
    phase_instructions: optional(phaseInstructionsSchema),
    on_last_iteration: optional(onLastIterationSchema).meta({ description: 'Default `answer`.' }),
    instructions: optional(z.string()).meta({ description: 'Extra system text, inside the budget.' }),
    include: optional(includeSchema),
  })
  .meta({ id: 'StepRequest', description: 'One step of a ReAct agent.' });

/** The request of one step as it passed the check. */
export type StepRequest = z.output<typeof stepRequestSchema>;
/** The request of one step as a caller may write it: optional fields may be null or left out. */
export type StepRequestInput = z.input<typeof stepRequestSchema>;
/** The model and its budget. */
export type LlmConfig = StepRequest['llm_config'];
/** An entry of the TODO list. */
export type Task = z.output<typeof taskSchema>;
/** A chunk that the caller retrieved. */
export type VectorSearchResult = z.output<typeof vectorSearchResultSchema>;
/** Contents sent along with the request. */
export type InlineContext = z.output<typeof inlineContextSchema>;
