import type { Turn } from '../../../contract/history.js';
import { KEPT_UNITS, observationsOf, readUnits, turnsOf, type Unit } from '../../../conversation/units.js';
import { stub } from '../history/unit-forms.js';

/** Old observations become one-line stubs, oldest first, until `excess` tokens are saved; errors stay. */
export async function maskHistory(
  history: readonly Turn[],
  excess: number,
  weigh: (units: readonly Unit[]) => Promise<number>,
): Promise<Turn[]> {
  const turns = [...history];
  let saved = 0;
  for (const unit of readUnits(history).slice(0, -KEPT_UNITS)) {
    if (saved >= excess) break;
    maskUnitIn(turns, unit);
    const masked = turnsOf(unit).flatMap((index) => turns[index] ?? []);
    saved += (await weigh([unit])) - (await weigh(readUnits(masked)));
  }
  return turns;
}

function maskUnitIn(turns: Turn[], unit: Unit): void {
  for (const { index, text, isError } of observationsOf(unit)) {
    const turn = turns[index];
    if (turn && !isError && stub(text) !== text) turns[index] = maskTurn(turn, stub(text));
  }
}

function maskTurn(turn: Turn, content: string): Turn {
  if (!turn.toolResult) return { ...turn, content };
  const { result: _, ...toolResult } = turn.toolResult;
  return { ...turn, content, toolResult };
}
