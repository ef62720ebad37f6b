import { exampleEndTemplate, exampleTaskTemplate } from '../../src/service/step/prompt/templates/example.js';
import { inTurns } from './in-turns.js';
import { questionAt } from './questions.js';
import type { SentMessage } from './relay.js';
import { recordOf, type TrialService } from './trial-service.js';
import { protocols, type TriedStep } from './tried-step.js';

/** So many first steps in each protocol, with and without the worked example, on the same questions and seeds. */
export async function tryFirstSteps(service: TrialService, count: number): Promise<TriedStep[]> {
  const { relay } = service;
  const tried: TriedStep[] = [];
  for (const example of [true, false]) {
    relay.edit = example ? (messages) => messages : withoutExample;
    for (const protocol of protocols) {
      const steps = await inTurns([...Array(count).keys()], async (seed) => {
        const asked = { question: questionAt(seed), protocol, seed };
        return recordOf(await service.step(asked), asked, { relay, example });
      });
      tried.push(...steps);
      const acted = steps.filter(({ result }) => result === 'acted').length;
      console.error(`${protocol} ${example ? 'with' : 'without'} example: ${acted} of ${count} acted`);
    }
  }
  relay.edit = (messages) => messages;
  return tried;
}

/** The prompt as it would be without the worked example. */
function withoutExample(messages: readonly SentMessage[]): readonly SentMessage[] {
  const at = messages.findIndex(({ content }) => content === exampleTaskTemplate);
  return messages
    .filter((_, index) => at < 0 || (index !== at && index !== at + 1))
    .map(({ role, content }) => ({ role, content: content.replace(exampleEndTemplate, '') }));
}
