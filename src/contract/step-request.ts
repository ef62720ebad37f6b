import { z } from 'zod';
import { attachmentsSchema } from './attachment.js';
import { jsonObject, list, optional, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';
import { protocolSchema } from './protocol.js';
import { toolDefinitionSchema } from './tool.js';

export type {
  InlineContext,
  LlmConfig,
  StepRequest,
  StepRequestInput,
  Task,
  VectorSearchResult,
} from './wire-types.js';

const lineNumber = wholeNumber.min(1);

const selectionSchema = z
  .object({
    start_line: lineNumber.meta({ description: 'Number of the first line.' }),
    end_line: lineNumber.meta({ description: 'Number of the last line.' }),
  })
  .meta({ id: 'LineSelection', description: 'A range of lines, counted from 1, both ends included.' });

const implicitContextSchema = z
  .object({
    last_focused_file_path: optional(z.string().min(1)).meta({
      description: 'Path of the file in the focused editor.',
    }),
    selection: optional(selectionSchema),
  })
  .meta({ id: 'ImplicitContext', description: "The file and the lines that the user's editor shows." });

const vectorSearchResultSchema = z
  .object({
    path: z.string().min(1).meta({ description: 'Path of the file, with `/` as the separator.' }),
    content: z.string().meta({ description: 'The text of the chunk.' }),
    score: optional(z.number()).meta({
      format: 'double',
      description: 'Score that the search gave the chunk.',
    }),
    start_line: optional(lineNumber).meta({ description: 'Number of the first line, from 1.' }),
    end_line: optional(lineNumber).meta({ description: 'Number of the last line, included.' }),
  })
  .meta({ id: 'VectorSearchResult', description: 'A chunk that the client retrieved.' });

const inlineFileSchema = z
  .object({
    path: z.string().min(1).meta({ description: 'Path of the file, with `/` as the separator.' }),
    content: z.string().meta({ description: 'The whole text of the file.' }),
  })
  .meta({ id: 'InlineFile', description: 'A file that is part of the request.' });

const inlinePinnedItemSchema = z
  .object({
    id: z.string().min(1).meta({ description: 'Id of the item, as in `pinned_item_ids_to_include`.' }),
    title: optional(z.string()).meta({ description: 'Title of the item in the prompt.' }),
    content: z.string().meta({ description: 'The text of the item.' }),
  })
  .meta({ id: 'InlinePinnedItem', description: 'A pinned item that is part of the request.' });

export const MAX_TURNS = 10_000;
const MAX_INLINE_ITEMS = 10_000;

const inlineContextSchema = z
  .object({
    files: optional(list(inlineFileSchema, MAX_INLINE_ITEMS)).meta({ description: 'Whole files.' }),
    pinned_items: optional(list(inlinePinnedItemSchema, MAX_INLINE_ITEMS)).meta({
      description: 'Notes and snippets.',
    }),
  })
  .meta({
    id: 'InlineContext',
    description: 'Contents that are part of the request; they win over any other source.',
  });

const taskSchema = z
  .object({
    id: wholeNumber.meta({ description: 'Number of the task, unique in the list.' }),
    content: z.string().meta({ description: 'The task in words.' }),
    status: z.enum(['todo', 'in_progress', 'completed']).meta({ description: 'Progress of the task.' }),
  })
  .meta({ id: 'TodoItem', description: 'An entry of the TODO list, which is part of the prompt.' });

const MAX_ITEMS = 1_000;

const phaseInstructionsSchema = z
  .object({
    reason: optional(z.string()).meta({ description: 'Instructions of the phase `reason`.' }),
    act: optional(z.string()).meta({ description: 'Instructions of the phase `act`.' }),
    observe: optional(z.string()).meta({ description: 'Instructions of the phase `observe`.' }),
  })
  .meta({
    id: 'PhaseInstructions',
    description:
      'Texts that replace the built-in instructions of the phases. Send all of them with every step.',
  });

const reportDetailSchema = z.enum(['full', 'summary', 'none']).meta({
  id: 'ReportDetail',
  description:
    'Size of the context report: `full`, `summary` (without items that are included completely), or `none`.',
});

const includeSchema = z
  .object({
    history: optional(z.boolean()).meta({
      description: 'Whether to return `updated_conversation_history`; default true.',
    }),
    report: optional(reportDetailSchema).meta({
      description: 'Size of the context report in the response; default `summary`.',
    }),
    completion_text: optional(z.boolean()).meta({
      description: "Whether to return the model's original text; default false.",
    }),
    record: optional(z.boolean()).meta({
      description: 'Whether to return `recorded_step`; default false.',
    }),
    extensions: optional(z.boolean()).meta({
      description:
        'Whether the response has all fields of a `Step`; default true. With false it is a `SourceStep`; `phase` and `protocol: native` are then 400 with the detail `extensions_required`.',
    }),
  })
  .meta({ id: 'IncludeOptions', description: 'Options that control the size of the response.' });

export const reasoningEffortSchema = z
  .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
  .meta({
    id: 'ReasoningEffort',
    description: 'How much the model may reason. Each provider supports some of these values.',
  });

const llmConfigSchema = z
  .object({
    modelName: z
      .string()
      .min(1)
      .max(256)
      .meta({ description: 'Name of the model, as its provider spells it.' }),
    tokenLimit: wholeNumber.min(1).meta({ description: 'Maximum tokens of prompt and reply together.' }),
    reservedOutputTokens: wholeNumber.min(1).meta({
      description: 'Tokens that are reserved for the reply; must be less than `tokenLimit`, else 400.',
    }),
    temperature: optional(z.number().min(0).max(2)).meta({
      format: 'double',
      description: 'Sampling temperature; default: that of the provider.',
    }),
    provider: optional(z.string().min(1).max(64)).meta({
      description: '`openai`, `anthropic` or a configured upstream. Without it, the model name decides.',
    }),
    reasoningEffort: optional(reasoningEffortSchema),
    seed: optional(wholeNumber).meta({ description: 'Seed for providers that sample reproducibly.' }),
    maxOutputTokens: optional(wholeNumber.min(1)).meta({
      description: 'Output limit for the provider; at most `reservedOutputTokens`, which is the default.',
    }),
    deadlineMs: optional(wholeNumber.min(1)).meta({
      description: "Time limit of the step in milliseconds; at most the server's own.",
    }),
    contextShare: optional(z.number().min(0).max(1)).meta({
      format: 'double',
      description: 'Maximum share of the free budget for context; default 0.5.',
    }),
  })
  .refine((config) => config.reservedOutputTokens < config.tokenLimit, {
    path: ['reservedOutputTokens'],
    error: 'must be less than tokenLimit',
  })
  .meta({ id: 'LlmConfig', description: 'The model and its token budget.' });

const userApiKeysSchema = z
  .object({
    llmKey: optional(z.string()).meta({
      format: 'password',
      description:
        "The caller's API key for the model: 8 to 8192 printable ASCII characters without spaces, else 401 `malformed_api_key`.",
    }),
  })
  .meta({
    id: 'UserApiKeys',
    description: 'Keys that are used for this request only, and are neither stored nor logged.',
  });

const phaseSchema = z
  .enum(['reason', 'act', 'observe'])
  .meta({ id: 'Phase', description: 'A phase of the strict three-phase mode.' });

const onLastIterationSchema = z
  .enum(['answer', 'allow_action'])
  .meta({ id: 'OnLastIteration', description: 'Whether the last iteration must be an answer.' });

/** The request of one step. */
export const stepRequestSchema = z
  .object({
    project_id: z
      .uuid()
      .meta({ description: 'UUID of the project, for the files of the service and for logs.' }),
    session_id: z.uuid().meta({ description: 'UUID of the session, for logs.' }),
    user_query: z.string().meta({
      description:
        'The task; empty to continue after an observation. If the history has no task either, the answer is 400 with the detail `no_task`.',
    }),
    attachments: optional(attachmentsSchema).meta({
      description: 'Images and PDF files that belong to `user_query`.',
    }),
    conversation_history: list(turnSchema, MAX_TURNS).meta({
      description: 'The turns so far, oldest first; empty at the beginning.',
    }),
    explicit_context_paths: optional(list(z.string().min(1), MAX_ITEMS)).meta({
      description: 'Files or folders that the user tagged; `path:10-40` selects lines.',
    }),
    pinned_item_ids_to_include: optional(list(z.string().min(1), MAX_ITEMS)).meta({
      description: 'Ids of pinned items that the prompt should include.',
    }),
    implicit_context: optional(implicitContextSchema),
    vector_search_results_to_include: optional(list(vectorSearchResultSchema, MAX_ITEMS)).meta({
      description: 'Chunks that the caller retrieved.',
    }),
    available_tools_prompt_segment: optional(z.string()).meta({
      description: 'Tools in free text. The service reads signatures such as `read_file(path, start_line)`.',
    }),
    llm_config: llmConfigSchema,
    user_api_keys: optional(userApiKeysSchema),
    max_iterations_left: wholeNumber
      .min(0)
      .meta({ description: 'Iterations that are left, this one included. At 1 the model must answer.' }),
    tools: optional(list(toolDefinitionSchema, MAX_ITEMS)).meta({
      description: 'The tools that the model may call.',
    }),
    inline_context: optional(inlineContextSchema),
    tasks: optional(list(taskSchema, MAX_ITEMS)).meta({
      description: 'The TODO list, which is part of the prompt.',
    }),
    protocol: optional(protocolSchema).meta({
      description:
        'The form in which the model is taught to write actions; default `text`. `native` without `tools` is 400 with the detail `tools_required`.',
    }),
    phase: optional(phaseSchema).meta({ description: 'The phase, in the strict three-phase mode.' }),
    phase_instructions: optional(phaseInstructionsSchema),
    on_last_iteration: optional(onLastIterationSchema).meta({
      description: 'Whether the last iteration must be an answer; default `answer`.',
    }),
    instructions: optional(z.string()).meta({
      description: 'Additional system text; counts towards the token budget.',
    }),
    answer_schema: optional(jsonObject).meta({
      description:
        'JSON Schema of the final answer, which is then one JSON value: see `answer` of the step. For a schema that cannot be used, the service returns 400 with the path of the faulty part.',
    }),
    include: optional(includeSchema),
  })
  .meta({ id: 'StepRequest', description: 'The request of one step of a ReAct agent.' });
