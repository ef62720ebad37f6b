import type { Warning } from '../../../contract/step.js';

/** A parameter the caller asked for: its name to the caller, and on the wire. */
export interface WantedParameter {
  readonly name: string;
  readonly wire: string;
  readonly value: unknown;
  /** Whether the model table says that the model takes this value. */
  readonly taken: boolean;
}

/** What can be sent, and a warning for what cannot (SPEC §8: a dropped parameter is a warning). */
export function chooseParameters(wanted: readonly WantedParameter[], refused: ReadonlySet<string>) {
  const asked = wanted.filter(({ value }) => value !== undefined);
  const isSent = ({ taken, wire }: WantedParameter) => taken && !refused.has(wire);
  return {
    sent: Object.fromEntries(asked.filter(isSent).map(({ wire, value }) => [wire, value])),
    warnings: asked.filter((parameter) => !isSent(parameter)).map(dropped),
  };
}

const dropped = ({ name }: WantedParameter): Warning => ({
  code: 'parameter_dropped',
  message: `${name} was not sent: this model does not take it.`,
});
