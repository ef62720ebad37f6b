import { readFileSync } from 'node:fs';
import { inTurns } from './in-turns.js';
import { questionAt } from './questions.js';
import { recordOf, type TrialService } from './trial-service.js';
import { type CorrectedStep, type Protocol, protocols } from './tried-step.js';

/** What a small model wrote, and could not be read as the action it was meant to be. */
const unreadable: Readonly<Record<Protocol, readonly string[]>> = JSON.parse(
  readFileSync('scripts/trial/unreadable.json', 'utf8'),
);

/** Seeds that no first step has. */
const SCRIPTED = 10_000;
const CORRECTED = 20_000;

/** So many second steps in each protocol: the first reply is given and cannot be read, the model hears the correction. */
export async function trySecondSteps(service: TrialService, count: number): Promise<CorrectedStep[]> {
  const tried: CorrectedStep[] = [];
  for (const protocol of protocols) {
    const replies = unreadable[protocol];
    const steps = await inTurns([...Array(count).keys()], (index) =>
      trySecondStep(service, { protocol, index, first: replies[index % replies.length] ?? '' }),
    );
    tried.push(...steps);
    const acted = steps.filter(({ result }) => result === 'acted').length;
    console.error(`${protocol} after a correction: ${acted} of ${count} acted`);
  }
  return tried;
}

async function trySecondStep(
  service: TrialService,
  { protocol, index, first }: { protocol: Protocol; index: number; first: string },
): Promise<CorrectedStep> {
  const { relay } = service;
  const question = questionAt(index);
  relay.replies.set(SCRIPTED + index, first);
  const { correction, updated_conversation_history: history } = await service.step({
    question,
    protocol,
    seed: SCRIPTED + index,
  });
  if (!correction || !history) throw new Error(`There is no correction of ${first}`);
  const asked = { question, protocol, seed: CORRECTED + index, history: [...history, correction] };
  return { ...recordOf(await service.step(asked), asked, { relay, example: true }), first };
}
