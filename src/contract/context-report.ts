import { z } from 'zod';
import { wholeNumber } from './fields.js';

const reportSectionSchema = z
  .object({
    name: z.enum(['instructions', 'tools', 'context', 'history', 'tail', 'framing']),
    tokens: wholeNumber,
  })
  .meta({ id: 'ReportSection', description: 'A section of the prompt and its size.' });

const reportItemSchema = z
  .object({
    kind: z.enum(['explicit', 'pinned', 'vector', 'implicit', 'turn', 'attachment', 'tool']),
    id: z.string().meta({
      description:
        'Path, pinned id, index of the turn, for an attachment the indexes of its turn and in it, such as `4.0`, or the name of a tool: `find_tools` for all deferred tools together, or that of a found one.',
    }),
    status: z.enum(['included', 'truncated', 'masked', 'dropped', 'duplicate', 'unavailable', 'deferred']),
    tokens: wholeNumber.meta({ description: 'Tokens of the included part.' }),
    original_tokens: wholeNumber.nullable().meta({ description: 'Tokens of the whole item.' }),
    lines: z.string().nullable().meta({ description: 'The included lines, such as `1-40,90-120`.' }),
    reason: z.string().nullable(),
  })
  .meta({
    id: 'ReportItem',
    description:
      'A file, pinned item, chunk, turn, attachment or deferred tool, and how much of it the prompt includes.',
  });

const reportFolderSchema = z
  .object({ path: z.string(), files: wholeNumber, included: wholeNumber })
  .meta({ id: 'ReportFolder', description: 'Numbers of files in a tagged folder.' });

/** The report on which parts of the context the prompt includes (rule: context-report). Token counts are the service's own. */
export const contextReportSchema = z
  .object({
    token_limit: wholeNumber,
    reserved_output_tokens: wholeNumber,
    prompt_tokens: wholeNumber,
    counting: z.enum(['exact', 'estimated']),
    stable_prefix_tokens: wholeNumber.meta({
      description: 'Tokens of the prompt before the tail, the part that changes with every step.',
    }),
    stable_prompt_sha256: z.string().meta({ description: 'SHA-256 of the prompt before the tail.' }),
    sections: z.array(reportSectionSchema),
    items: z.array(reportItemSchema),
    folders: z.array(reportFolderSchema),
  })
  .meta({
    id: 'ContextReport',
    description: 'Which parts of the context the prompt includes, and which it leaves out.',
  });

/** The report on which parts of the context the prompt includes. Token counts are the service's own. */
export type ContextReport = z.output<typeof contextReportSchema>;
/** A file, pinned item, chunk, turn or attachment, and how much of it the prompt includes. */
export type ReportItem = z.output<typeof reportItemSchema>;
/** A section of the prompt and its size in tokens. */
export type ReportSection = z.output<typeof reportSectionSchema>;
/** How many files of a tagged folder were included. */
export type ReportFolder = z.output<typeof reportFolderSchema>;
