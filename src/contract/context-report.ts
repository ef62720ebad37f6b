import { z } from 'zod';
import { wholeNumber } from './fields.js';

const reportSectionSchema = z
  .object({
    name: z.enum(['instructions', 'tools', 'context', 'history', 'tail', 'framing']),
    tokens: wholeNumber,
  })
  .meta({ id: 'ReportSection', description: 'A part of the prompt and what it takes.' });

const reportItemSchema = z
  .object({
    kind: z.enum(['explicit', 'pinned', 'vector', 'implicit', 'turn']),
    id: z.string().meta({ description: 'Path, pinned id, or index of the turn.' }),
    status: z.enum(['included', 'truncated', 'masked', 'dropped', 'duplicate', 'unavailable']),
    tokens: wholeNumber.meta({ description: 'What it takes in the prompt.' }),
    original_tokens: wholeNumber.nullable().meta({ description: 'What the whole of it would take.' }),
    lines: z.string().nullable().meta({ description: 'The lines shown, such as `1-40,90-120`.' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ReportItem', description: 'A file, pinned item, chunk or turn, and what became of it.' });

const reportFolderSchema = z
  .object({ path: z.string(), files: wholeNumber, included: wholeNumber })
  .meta({ id: 'ReportFolder', description: 'Counts for a tagged folder.' });

/** What the model saw and what it did not (rule: context-report). Token counts are ours, not the provider's. */
export const contextReportSchema = z
  .object({
    token_limit: wholeNumber,
    reserved_output_tokens: wholeNumber,
    prompt_tokens: wholeNumber,
    counting: z.enum(['exact', 'estimated']),
    stable_prefix_tokens: wholeNumber.meta({ description: 'Tokens before the tail.' }),
    stable_prompt_sha256: z.string().meta({ description: 'Hash of everything before the tail.' }),
    sections: z.array(reportSectionSchema),
    items: z.array(reportItemSchema),
    folders: z.array(reportFolderSchema),
  })
  .meta({ id: 'ContextReport', description: 'What the model saw, and what was left out.' });

/** What the model saw and what it did not; token counts are the service's own. */
export type ContextReport = z.output<typeof contextReportSchema>;
/** A file, pinned item, chunk or turn, and what became of it. */
export type ReportItem = z.output<typeof reportItemSchema>;
/** A part of the prompt and what it takes. */
export type ReportSection = z.output<typeof reportSectionSchema>;
/** How many files of a tagged folder were included. */
export type ReportFolder = z.output<typeof reportFolderSchema>;
