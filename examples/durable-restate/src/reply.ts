import { z } from 'zod';
import { findTool } from './shop-tools.js';
import type { WaitingCall } from './status.js';

/** A person's reply to a waiting call. */
export const replySchema = z.discriminatedUnion('type', [
  z.strictObject({ call_id: z.string(), type: z.literal('allow') }),
  z.strictObject({ call_id: z.string(), type: z.literal('edit'), arguments: z.record(z.string(), z.json()) }),
  z.strictObject({ call_id: z.string(), type: z.literal('deny'), reason: z.string().optional() }),
  z.strictObject({ call_id: z.string(), type: z.literal('answer'), text: z.string() }),
]);
export type Reply = z.infer<typeof replySchema>;

/** Explains why the reply does not fit the call; undefined if it does. */
export function findProblem({ tool }: WaitingCall, reply: Reply): string | undefined {
  const asks = tool === 'request_input';
  if (asks && reply.type !== 'answer')
    return 'This call asks a question: reply with type "answer" and a text.';
  if (!asks && reply.type === 'answer') return 'This call asks nothing: allow, edit or deny it.';
  return reply.type === 'edit' ? findArgumentProblem(tool, reply.arguments) : undefined;
}

/** Validates arguments that a person edited; the service has only checked the model's own. */
function findArgumentProblem(tool: string, args: unknown): string | undefined {
  const { error } = z.fromJSONSchema(findTool(tool).inputSchema).safeParse(args);
  return error && z.prettifyError(error);
}
