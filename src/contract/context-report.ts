import { z } from 'zod';
import { wholeNumber } from './fields.js';

export type { ContextReport, ReportFolder, ReportItem, ReportSection } from './wire-types.js';

const reportSectionSchema = z
  .object({
    name: z
      .enum(['instructions', 'tools', 'context', 'history', 'tail', 'framing'])
      .meta({ description: 'Name of the section.' }),
    tokens: wholeNumber.meta({ description: 'Size of the section in tokens.' }),
  })
  .meta({ id: 'ReportSection', description: 'A section of the prompt and its size.' });

const reportItemSchema = z
  .object({
    kind: z
      .enum(['explicit', 'pinned', 'vector', 'implicit', 'turn', 'attachment', 'tool'])
      .meta({ description: 'Source of the item.' }),
    id: z.string().meta({
      description:
        'Path, pinned id, index of the turn, for an attachment the indexes of its turn and in it, such as `4.0`, or the name of a tool: `find_tools` for all deferred tools together, or that of a found one.',
    }),
    status: z
      .enum(['included', 'truncated', 'masked', 'dropped', 'duplicate', 'unavailable', 'deferred'])
      .meta({ description: 'How much of the item the prompt includes.' }),
    tokens: wholeNumber.meta({ description: 'Tokens of the included part.' }),
    original_tokens: wholeNumber.nullable().meta({ description: 'Tokens of the whole item.' }),
    lines: z.string().nullable().meta({ description: 'The included lines, such as `1-40,90-120`.' }),
    reason: z.string().nullable().meta({ description: 'Why the item is not included as a whole.' }),
  })
  .meta({
    id: 'ReportItem',
    description:
      'A file, pinned item, chunk, turn, attachment or deferred tool, and how much of it the prompt includes.',
  });

const reportFolderSchema = z
  .object({
    path: z.string().meta({ description: 'Path of the folder.' }),
    files: wholeNumber.meta({ description: 'Number of files in the folder.' }),
    included: wholeNumber.meta({ description: 'Number of files that the prompt includes at least in part.' }),
  })
  .meta({ id: 'ReportFolder', description: 'Numbers of files in a tagged folder.' });

/**
 * The report on which parts of the context the prompt includes (rule: context-report). The service counts the tokens
 * itself.
 */
export const contextReportSchema = z
  .object({
    token_limit: wholeNumber.meta({ description: '`llm_config.tokenLimit` of the request.' }),
    reserved_output_tokens: wholeNumber.meta({
      description: '`llm_config.reservedOutputTokens` of the request.',
    }),
    prompt_tokens: wholeNumber.meta({ description: 'Tokens of the whole prompt.' }),
    counting: z.enum(['exact', 'estimated']).meta({
      description: '`exact` if the tokenizer of the model counted, `estimated` if a substitute did.',
    }),
    stable_prefix_tokens: wholeNumber.meta({
      description: 'Tokens of the prompt before the tail, the part that changes with every step.',
    }),
    stable_prompt_sha256: z.string().meta({ description: 'SHA-256 of the prompt before the tail.' }),
    sections: z.array(reportSectionSchema).meta({ description: 'The sections of the prompt, in order.' }),
    items: z.array(reportItemSchema).meta({
      description:
        'The items that the prompt includes, shortens or leaves out. A report with `include.report` set to `summary` omits the items that are included completely.',
    }),
    folders: z.array(reportFolderSchema).meta({ description: 'The tagged folders.' }),
  })
  .meta({
    id: 'ContextReport',
    description: 'The parts of the context that the prompt includes, and those that it leaves out.',
  });
