import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import type { ApprovedChanges } from './approved-changes.js';
import { keepLineEnds } from './line-ends.js';

/** Creates `write_file(path, content)`, which writes a whole file. Creates missing folders. */
export function writeFileTool(changes: ApprovedChanges): Tool {
  return defineTool({
    name: 'write_file',
    defer: false,
    description: 'Write a whole file; missing folders are made. To change a part of a file use edit_file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
    annotations: { requiresApproval: true },
    preview: (file, context) => changes.preview(changeOf(file), context),
    execute: async ({ path, content }, context) => {
      const { before } = await changes.carryOut(changeOf({ path, content }), context);
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      return `${before === undefined ? 'Created' : 'Replaced'} ${path}: ${lines} lines.`;
    },
  });
}

const changeOf = ({ path, content }: { readonly path: string; readonly content: string }) => ({
  path,
  apply: async (before: string | undefined) =>
    before === undefined ? content : keepLineEnds(before, content),
});
