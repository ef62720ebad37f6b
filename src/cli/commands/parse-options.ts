import type { Command } from 'commander';
import { closestWord } from './closest-word.js';
import { UsageError } from './usage.js';

/**
 * Reads the options that `command` declares, wherever they are in `argv`, and returns the other words. Throws
 * `UsageError`, which names the wrong option.
 */
export function parseOptions(command: Command, argv: readonly string[]): string[] {
  const { operands, unknown } = command.parseOptions([...argv]);
  if (unknown[0] !== undefined) throw unknownOption(unknown[0], command);
  return operands;
}

/** Returns the error for an argument that begins with "-" and is no option of the command. */
export function unknownOption(argument: string, command: Command): UsageError {
  const [flag = ''] = argument.split(/[=\s]/);
  if (command.options.some(({ long, short }) => flag === long || flag === short))
    return new UsageError(`${flag} takes no value.`);
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const similar = closestWord(flag, flags);
  const hint = similar ? `Did you mean ${similar}?` : '--help lists the options.';
  const dashes = command.parent ? '' : ' Put -- before a task that begins with "-".';
  return new UsageError(`There is no option ${flag}. ${hint}${dashes}`);
}
