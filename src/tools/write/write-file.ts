import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import type { ProjectRoot } from '../project-root.js';
import { ApprovedTexts } from './approved-texts.js';
import { previewChange } from './preview-change.js';
import { currentText, writeText } from './write-text.js';

/** `write_file(path, content)`: a whole file, with its folders. */
export function writeFileTool(root: ProjectRoot): Tool {
  const approved = new ApprovedTexts();
  return defineTool({
    name: 'write_file',
    description: 'Write a whole file; missing folders are made. To change a part of a file use edit_file.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
    annotations: { requiresApproval: true },
    preview: async ({ path, content }, { callId }) => {
      const before = await currentText(root, path);
      approved.remember(callId, before);
      return previewChange(path, before, content);
    },
    execute: async ({ path, content }, { callId }) => {
      const before = await currentText(root, path);
      approved.check(callId, before, path);
      await writeText(root, path, { text: content, expected: before });
      const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
      return `${before === undefined ? 'Created' : 'Replaced'} ${path}: ${lines} lines.`;
    },
  });
}
