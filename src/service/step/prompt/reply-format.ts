import type { Warning } from '../../../contract/step.js';
import type { StepRequest } from '../../../contract/step-request.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import {
  buildReplySchema,
  controlSchemas,
  type ReplySchema,
} from '../../../parsing/structured/schema/reply-schema.js';
import type { ModelProfile } from '../provider.js';
import type { ReplyFormat } from '../types.js';

/**
 * Chooses the schema that constrains the replies of a run, or a phase's control object. Returns undefined if
 * the model's output cannot be constrained.
 */
export async function chooseReplyFormat(
  { offered, phase }: { readonly offered: readonly OfferedTool[]; readonly phase: StepRequest['phase'] },
  { structured }: ModelProfile,
  signal?: AbortSignal,
): Promise<ReplyFormat | undefined> {
  if (structured === 'none') return undefined;
  if (structured === 'json_object') return anyObject;
  if (phase === 'reason' || phase === 'observe')
    return { ...anyObject, schema: controlSchemas[phase], isCharged: structured.isCharged };
  const reply = await buildReplySchema(offered, structured, () => yieldIfBusy(signal));
  if (!reply) return { ...anyObject, warnings: [tooManyTools] };
  const { schema, restoreArguments, answerKey } = reply;
  const { isCharged } = structured;
  return { schema, isCharged, restoreArguments, answerKey, warnings: freeTools(reply) };
}

const anyObject: ReplyFormat = {
  schema: null,
  isCharged: false,
  restoreArguments: (_, value) => value,
  warnings: [],
};

const tooManyTools: Warning = {
  code: 'reply_not_constrained',
  message:
    'There are too many tools for a reply schema: the provider only enforces that the reply is a JSON object.',
};

/** Maximum number of tools that the warning names; further ones are only counted. */
const MAX_NAMED_TOOLS = 20;

function freeTools({ free }: ReplySchema): Warning[] {
  if (free.size === 0) return [];
  const named = [...free]
    .slice(0, MAX_NAMED_TOOLS)
    .map(([tool, paths]) => (paths ? `${tool} (${paths.join(', ')})` : tool));
  const more = free.size > named.length ? ` and ${free.size - named.length} more` : '';
  const message = `The provider cannot enforce the arguments of these tools; the service checks them after the reply:  ${named.join(', ')}${more}.`;
  return [{ code: 'arguments_not_constrained', message }];
}
