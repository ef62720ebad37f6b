import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import type { ProjectRoot } from '../project-root.js';
import { ApprovedChanges } from './approved-changes.js';
import { currentText, writeText } from './write-text.js';

/** `write_file(path, content)`: a whole file, with its folders. */
export function writeFileTool(root: ProjectRoot): Tool {
  const approved = new ApprovedChanges();
  return defineTool({
    name: 'write_file',
    description: 'Write a whole file; missing folders are made. To change a part of a file use edit_file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
    annotations: { requiresApproval: true },
    preview: async ({ path, content }, { callId }) =>
      approved.preview(callId, { path, before: await currentText(root, path), after: content }),
    execute: async ({ path, content }, { callId }) => {
      const before = await currentText(root, path);
      approved.check(callId, { path, before });
      await writeText(root, path, { text: content, expected: before });
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      return `${before === undefined ? 'Created' : 'Replaced'} ${path}: ${lines} lines.`;
    },
  });
}
