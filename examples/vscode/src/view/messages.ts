import type { InputRequest } from 'stepwise';
import type { ApprovalAnswer, ApprovalView } from '../approvals/approvals.js';
import type { OfferedFile } from '../context/offered-files.js';
import type { ConversationView, ShownStep } from '../run/conversation-view.js';
import type { ServiceView } from '../service/reach-service.js';

/** The complete state of the view. */
export interface ViewState {
  readonly service: ServiceView;
  readonly model: string;
  readonly offered: readonly OfferedFile[];
  /** One sentence for each requested file that was not sent. */
  readonly refusals: readonly string[];
  readonly run: ConversationView;
  /** The unsent task at the time the view was opened. */
  readonly draft: string;
  readonly approval: ApprovalView | null;
  readonly question: Pick<InputRequest, 'callId' | 'question' | 'choices'> | null;
}

/** Messages from the extension to the view. `steps` begins with the first changed step, whose index is `from`. */
export type ViewMessage =
  | {
      readonly type: 'state';
      readonly state: Omit<ViewState, 'run'> & { readonly run: Omit<ConversationView, 'steps'> };
      readonly from: number;
      readonly steps: readonly ShownStep[];
    }
  | { readonly type: 'suggestions'; readonly query: string; readonly paths: readonly string[] };

/** Messages from the view to the extension. */
export type ViewRequest =
  | { readonly type: 'ready' | 'stop' | 'newTask' | 'resume' | 'showChange' }
  | { readonly type: 'start'; readonly task: string }
  | { readonly type: 'draft'; readonly text: string }
  | { readonly type: 'answer'; readonly callId: string; readonly text: string }
  | { readonly type: 'decide'; readonly id: string; readonly answer: ApprovalAnswer }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'openFile'; readonly path: string }
  | { readonly type: 'suggest'; readonly query: string }
  | { readonly type: 'command'; readonly command: string };

const isText = (value: unknown): value is string => typeof value === 'string';

/** Required text fields of each message type. */
const textFields: Readonly<Record<ViewRequest['type'], readonly string[]>> = {
  ready: [],
  stop: [],
  newTask: [],
  resume: [],
  showChange: [],
  start: ['task'],
  draft: ['text'],
  answer: ['callId', 'text'],
  decide: ['id'],
  remove: ['id'],
  openFile: ['path'],
  suggest: ['query'],
  command: ['command'],
};

/** Validates a message from the view; undefined if it is invalid. */
export function readViewRequest(message: unknown): ViewRequest | undefined {
  const fields: Readonly<Record<string, unknown>> = Object(message);
  const { type, answer } = fields;
  if (!isText(type) || !Object.hasOwn(textFields, type)) return undefined;
  // The check above proves that `type` is a key of the table.
  if (!textFields[type as ViewRequest['type']].every((name) => isText(fields[name]))) return undefined;
  if (type === 'decide' && !isAnswer(answer)) return undefined;
  return message as ViewRequest; // type and fields were looked at
}

function isAnswer(value: unknown): value is ApprovalAnswer {
  const { choice, index, reason, args }: Readonly<Record<string, unknown>> = Object(value);
  if (choice === 'always') return Number.isInteger(index);
  if (choice === 'edit') return typeof args === 'object' && args !== null && !Array.isArray(args);
  return choice === 'reject' ? isText(reason) : choice === 'accept';
}
