import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import { notReadable } from '../folder/path-errors.js';
import { OutputCapture } from '../read/output-capture.js';
import type { ApprovedChanges } from './approved-changes.js';
import { replaceShown, toShown } from './line-ends.js';
import { describeNearMiss } from './near-miss.js';
import { renderChange } from './unified-diff.js';

interface Edit {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
}

/** Creates `edit_file(path, old_string, new_string)`, which replaces a text that occurs exactly once. */
export function editFileTool(changes: ApprovedChanges): Tool {
  return defineTool({
    name: 'edit_file',
    defer: false,
    description:
      'Replace a part of a file. old_string must occur exactly once, with all its spaces and without line numbers.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
      },
      required: ['path', 'old_string', 'new_string'],
    },
    annotations: { requiresApproval: true },
    preview: (edit, context) => changes.preview(changeOf(edit), context),
    execute: async (edit, context) => {
      const change = await changes.carryOut(changeOf(edit), context);
      // The file may be one line of megabytes, and the result goes into every later prompt.
      const diff = new OutputCapture('read the file for the rest');
      diff.add(await renderChange(change));
      return `Edited ${edit.path}:\n${diff.text()}`;
    },
  });
}

const changeOf = (edit: Edit) => ({
  path: edit.path,
  apply: async (before: string | undefined) => {
    if (before === undefined) throw notReadable(edit.path);
    return applyEdit(before, edit);
  },
});

/** Finds the old text in the file as the model sees the file, and replaces it there (rule: line-ends). */
async function applyEdit(text: string, { path, old_string, new_string }: Edit): Promise<string> {
  const [{ shown: file }, { shown: old }, { shown: replacement }] = [
    toShown(text),
    toShown(old_string),
    toShown(new_string),
  ];
  if (old === '') throw new ToolError('old_string is empty; to write a new file use write_file.');
  if (old === replacement) throw new ToolError('old_string and new_string are the same, line breaks aside.');
  const lines = linesOf(file, old);
  if (lines.length === 0) throw new ToolError(notFound(path, describeNearMiss(file, old)));
  if (lines.length > 1) throw new ToolError(severalTimes(path, lines));
  const from = file.indexOf(old);
  return replaceShown(text, { from, to: from + old.length, text: replacement });
}

const notFound = (path: string, nearMiss: string | undefined): string =>
  nearMiss === undefined
    ? `old_string does not occur in "${path}". Read the file again.`
    : `old_string does not occur in "${path}". ${nearMiss}`;

/** Maximum number of occurrences to search for, because a file may contain millions. */
const MAX_OCCURRENCES = 100;

/** Returns the number of the line in which each occurrence begins. Occurrences may overlap. */
function linesOf(text: string, part: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (
    let at = text.indexOf(part);
    at >= 0 && lines.length < MAX_OCCURRENCES;
    at = text.indexOf(part, at + 1)
  ) {
    for (; counted < at; counted++) if (text[counted] === '\n') line += 1;
    lines.push(line);
  }
  return lines;
}

function severalTimes(path: string, lines: readonly number[]): string {
  const shown = lines.slice(0, 10).join(', ');
  const where = `lines ${shown}${lines.length > 10 ? ', …' : ''}`;
  const times = `${lines.length === MAX_OCCURRENCES ? 'at least ' : ''}${lines.length} times`;
  return `old_string occurs ${times} in "${path}" (${where}). Include more of the lines around it.`;
}
