import type { Turn } from '../../../contract/history.js';
import type { Warning } from '../../../contract/step.js';
import { resultText } from '../../../conversation/observation-text.js';
import { type Mispairing, readHistory } from '../../../conversation/units.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import type { ModelProfile } from '../provider.js';
import type { Situation } from '../types.js';
import { attachmentWarnings, weighAttachments } from './attachments.js';
import { type DiscoveryBasis, readDiscoveries } from './found-tools.js';
import { orderTurns } from './order-keys.js';
import { keepOwnStates } from './provider-state.js';

interface RunBasis extends DiscoveryBasis {
  readonly known: readonly OfferedTool[];
  readonly profile: ModelProfile;
}

/** Reads a history as a model can get it, with warnings about all that it cannot get. */
export async function readRun(
  history: readonly Turn[],
  { known, profile, ...discoveryBasis }: RunBasis,
  signal: AbortSignal | undefined,
): Promise<Pick<Situation, 'units' | 'found' | 'warnings'>> {
  const { units: paired, mispairings } = readHistory(await orderTurns(history, known, signal));
  const own = keepOwnStates(paired, profile.stateOrigin);
  const discoveries = readDiscoveries(own.units, discoveryBasis);
  return {
    units: weighAttachments(discoveries.units, profile.vision),
    found: discoveries.found,
    warnings: [
      ...pairingWarnings(mispairings),
      ...discoveries.warnings,
      ...own.warnings,
      ...attachmentWarnings(history, profile.vision),
      ...hiddenResultWarnings(history),
    ],
  };
}

/** Maximum number of warnings about calls and results that do not match; older ones are omitted. */
const MAX_PAIRING_WARNINGS = 20;

const mispairingTexts = {
  unknown_tool_call_id: 'its toolCallId matches no call in the history',
  call_without_observation: 'the call has no observation; the prompt states that it was not run',
  observation_without_call: 'the observation belongs to no call; the prompt contains it as text of the user',
  duplicate_observation:
    'its call already has an observation; the prompt contains this one as text of the user',
} as const satisfies Record<Mispairing['kind'], string>;

/** Returns warnings for calls without observations and observations without calls (rule: pairing-warnings). */
function pairingWarnings(mispairings: readonly Mispairing[]): Warning[] {
  return mispairings.slice(-MAX_PAIRING_WARNINGS).map(({ kind, index }) => ({
    code: kind,
    message: `conversation_history[${index}]: ${mispairingTexts[kind]}`,
  }));
}

/**
 * Returns warnings for tool results that the model does not get because their observation also has a text (rule:
 * observation-text).
 */
function hiddenResultWarnings(history: readonly Turn[]): Warning[] {
  const hidden = [...history.keys()].filter((index) => hasHiddenResult(history[index]));
  return hidden.slice(-MAX_PAIRING_WARNINGS).map((index) => ({
    code: 'tool_result_not_shown',
    message: `conversation_history[${index}]: the model sees content, not toolResult.result; leave one of them out`,
  }));
}

function hasHiddenResult(turn: Turn | undefined): boolean {
  const result = turn?.toolResult?.result ?? undefined;
  return result !== undefined && turn?.content !== '' && resultText(result) !== turn?.content;
}
