import type { RecordedStep } from '../contract/recorded-step.js';
import type { Parser } from './parser.js';

type RecordedRequest = RecordedStep['request'];

/**
 * One combination of the evaluation matrix: the changes to make in each recorded request. An absent field changes
 * nothing.
 */
export interface Cell {
  /** Lists the changes, such as `gpt-5-mini · json`; `as recorded` if there are none. */
  readonly name: string;
  readonly model?: { readonly name: string; readonly upstream?: string | undefined } | undefined;
  readonly protocol?: NonNullable<RecordedRequest['protocol']> | undefined;
  readonly instructions?: string | undefined;
  /** Maximum number of tokens of the prompt and the reply together. */
  readonly tokenLimit?: number | undefined;
  /** Parser to use in place of the service's own. */
  readonly parser?: Parser | undefined;
}

export const AS_RECORDED = 'as recorded';

/**
 * Fraction of the cell's token limit that is reserved for the reply if the recorded reserve does not fit into that
 * limit.
 */
const RESERVED_SHARE = 0.25;

/** Returns the request of a recorded step with the changes of a cell. */
export function applyCell(request: RecordedRequest, cell: Cell): RecordedRequest {
  const { protocol, instructions } = cell;
  return {
    ...request,
    llm_config: applyModel(request.llm_config, cell),
    ...(protocol && { protocol }),
    ...(instructions !== undefined && { instructions }),
    include: { history: false, report: 'full', completion_text: true },
  };
}

function applyModel(recorded: RecordedRequest['llm_config'], { model, tokenLimit }: Cell) {
  const config = { ...recorded, ...(model && { modelName: model.name, provider: model.upstream }) };
  if (tokenLimit === undefined) return config;
  const fits = config.reservedOutputTokens < tokenLimit;
  const reservedOutputTokens = fits ? config.reservedOutputTokens : Math.ceil(tokenLimit * RESERVED_SHARE);
  const { maxOutputTokens } = config;
  return {
    ...config,
    tokenLimit,
    reservedOutputTokens,
    ...(maxOutputTokens && { maxOutputTokens: Math.min(maxOutputTokens, reservedOutputTokens) }),
  };
}
