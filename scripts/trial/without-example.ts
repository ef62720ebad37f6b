import { exampleEndTemplate, exampleTaskTemplate } from '../../src/service/agent/prompt/templates/example.js';
import type { SentMessage } from './relay.js';

/** The prompt as it would be without the worked example. */
export function withoutExample(messages: readonly SentMessage[]): readonly SentMessage[] {
  const at = messages.findIndex(({ content }) => content === exampleTaskTemplate);
  return messages
    .filter((_, index) => at < 0 || (index !== at && index !== at + 1))
    .map(({ role, content }) => ({ role, content: content.replace(exampleEndTemplate, '') }));
}
