import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { type PairedCall, readUnits, type Unit } from '../../../conversation/units.js';
import type { Trajectory } from '../../../sdk/run/trajectory.js';
import { isRunTool } from '../../screen/live/running-tools.js';
import { showText } from '../../screen/visible-text.js';
import { messageChunk, toPlan } from './run-updates.js';
import { describeCall, plainContent } from './tool-call-content.js';

/**
 * Returns updates that repeat a saved conversation; turns that a compaction removed from its history are missing.
 */
export function replayHistory({ history, tasks }: Trajectory, folder: string): readonly SessionUpdate[] {
  const updates = readUnits(history).flatMap((unit): readonly SessionUpdate[] => {
    if (unit.type !== 'assistant') return updatesOf(unit, folder);
    const turn = history[unit.index];
    return [
      ...chunkUnlessEmpty('thought', turn?.thought ?? ''),
      ...chunkUnlessEmpty('answer', turn?.content ?? ''),
    ];
  });
  return tasks.length > 0 ? [...updates, toPlan(tasks)] : updates;
}

function updatesOf(unit: Exclude<Unit, { type: 'assistant' }>, folder: string): readonly SessionUpdate[] {
  if (unit.type === 'user') return unit.isTask ? [userMessage(unit.content)] : [];
  if (unit.type === 'stray_observation') return [];
  const calls = unit.calls.filter(({ name }) => !isRunTool({ toolName: name }));
  return [...chunkUnlessEmpty('thought', unit.thought), ...calls.map((call) => callUpdate(call, folder))];
}

const chunkUnlessEmpty = (role: 'thought' | 'answer', text: string): readonly SessionUpdate[] =>
  text === '' ? [] : [messageChunk(role, text)];

const userMessage = (text: string): SessionUpdate => ({
  sessionUpdate: 'user_message_chunk',
  content: { type: 'text', text: showText(text) },
});

/**
 * Returns the update of a past call. Call ids can repeat in later runs, so the index in the history makes the
 * id unique.
 */
function callUpdate({ index, id, name, parameters, observation }: PairedCall, folder: string): SessionUpdate {
  return {
    sessionUpdate: 'tool_call',
    toolCallId: `saved-${index}-${id}`,
    ...describeCall({ id, toolName: name, toolArgs: parameters }, folder),
    status: observation && !observation.isError ? 'completed' : 'failed',
    content: observation ? plainContent(observation.text) : [],
    ...(observation && { rawOutput: observation.text }),
  };
}
