import type { Warning } from '../../../contract/step.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import {
  type AnswerForm,
  convertAnswer,
  restoreBy,
  restoreNullableBy,
} from '../../../parsing/structured/schema/answer-form.js';
import { objectImage } from '../../../parsing/structured/schema/image.js';
import {
  buildTypedReplySchema,
  controlSchemas,
  observeSchemaFor,
  type ReplySchema,
} from '../../../parsing/structured/schema/reply-schema.js';
import type { SchemaDialect } from '../../../parsing/structured/schema/schema-dialect.js';
import { isJsonObject, type JsonValue } from '../../../parsing/text/scanner.js';
import { listFirst } from '../list-first.js';
import type { ModelProfile } from '../provider.js';
import { callableOf } from '../read-tools.js';
import {
  type AnswerType,
  expectsPlainText,
  prosePhaseOf,
  type ReplyFormat,
  type Situation,
} from '../types.js';

type FormatBasis = Pick<
  Situation,
  'request' | 'protocol' | 'offered' | 'answerType' | 'mustAnswer' | 'clientTerms'
>;

/**
 * Chooses the constraint on the reply: in the protocol `json`, the schema of the whole reply; otherwise the schema of
 * an answer, if a reply may consist of nothing else. Returns undefined if the output of the model cannot be
 * constrained.
 */
export async function chooseReplyFormat(
  basis: FormatBasis,
  { structured }: ModelProfile,
  signal?: AbortSignal,
): Promise<ReplyFormat | undefined> {
  const { request, protocol, answerType, mustAnswer } = basis;
  const isPlainText = expectsPlainText(basis);
  if (structured === 'none') return undefined;
  if (protocol === 'json' && !isPlainText) return objectFormat(basis, structured, signal);
  if (!answerType || request.phase || (protocol !== 'native' && !isPlainText)) return undefined;
  return answerFormat(answerType.schema, structured, mustAnswer === undefined && !isPlainText);
}

type Constraint = Exclude<ModelProfile['structured'], 'none'>;

/** Chooses the schema of a reply in one JSON object, or of the control object of a phase. */
async function objectFormat(
  { request, offered, answerType, clientTerms }: FormatBasis,
  structured: Constraint,
  signal: AbortSignal | undefined,
): Promise<ReplyFormat> {
  const answerSchema = answerType?.schema;
  const toolChoice = clientTerms?.toolChoice ?? 'auto';
  if (structured === 'json_object') return anyObject;
  const { isCharged } = structured;
  const phase = prosePhaseOf(request);
  if (phase === 'observe' && answerSchema) return observeFormat(answerSchema, structured);
  if (phase) return { ...anyObject, schema: controlSchemas[phase], isCharged };
  // With `required` or the name of a tool, the model must call (rule: client-terms).
  const needs = { dialect: structured, answerSchema, mustAct: toolChoice !== 'auto' };
  const callable = callableOf(offered);
  const chosen =
    typeof toolChoice === 'object' ? callable.filter(({ name }) => name === toolChoice.name) : callable;
  const reply = await buildTypedReplySchema(chosen, needs, () => yieldIfBusy(signal));
  if (!reply) return { ...anyObject, warnings: [tooManyTools] };
  const { schema, restoreArguments, answerKey, answer } = reply;
  const restoreAnswer = restoreBy(answer.image);
  const warnings = [...freeTools(reply), ...freeAnswer(answer)];
  return { schema, isCharged, restoreArguments, restoreAnswer, answerKey, warnings };
}

/**
 * Nesting level of the answer's schema inside the reply's schema. The answer is a property: `final_answer` of an
 * `observe` reply, or the only key of the object that wraps a native answer that is not an object itself.
 */
const ANSWER_LEVEL = 2;

function observeFormat(answerSchema: AnswerType['schema'], dialect: SchemaDialect): ReplyFormat {
  const answer = convertAnswer(answerSchema, dialect, ANSWER_LEVEL);
  return {
    ...anyObject,
    schema: observeSchemaFor(answer),
    isCharged: dialect.isCharged,
    restoreAnswer: restoreNullableBy(answer),
    warnings: freeAnswer(answer),
  };
}

/** The only key of the object that wraps a native answer that is not an object itself. */
const WRAPPING_KEY = 'answer';

/**
 * Chooses the schema that constrains the text of a reply to the answer (rule: typed-answers). Returns undefined if
 * the vendor cannot enforce it. If the model may also call tools, only some vendors can.
 */
function answerFormat(
  answerSchema: AnswerType['schema'],
  structured: Constraint,
  mayAct: boolean,
): ReplyFormat | undefined {
  const hasObject = answerSchema['type'] === 'object';
  if (structured === 'json_object') return hasObject && !mayAct ? anyObject : undefined;
  if (mayAct && !structured.besideTools) return undefined;
  // If the schema only demands an object, all vendors but Anthropic have a mode that needs no schema.
  if (hasObject && Object.keys(answerSchema).length === 1 && structured.form !== 'anthropic')
    return anyObject;
  const answer = convertAnswer(answerSchema, structured, ANSWER_LEVEL);
  const { image } = answer;
  const isObject = image.schema['type'] === 'object';
  const wrapped = isObject ? image : objectImage([{ name: WRAPPING_KEY, image, absence: 'required' }]);
  const restore = restoreBy(wrapped);
  return {
    ...anyObject,
    schema: wrapped.schema,
    isCharged: structured.isCharged,
    restoreAnswer: isObject ? restore : (value, reading) => contentOf(restore(value, reading)),
    warnings: freeAnswer(answer),
  };
}

const contentOf = (wrapped: JsonValue | undefined): JsonValue | undefined =>
  isJsonObject(wrapped) ? wrapped[WRAPPING_KEY] : undefined;

function freeAnswer({ free }: AnswerForm): Warning[] {
  if (free.length === 0) return [];
  const places = free.map((path) => path || 'the whole answer').join(', ');
  const message = `The provider cannot enforce these parts of answer_schema; the service checks them after the reply: ${places}.`;
  return [{ code: 'answer_not_constrained', message }];
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

/** Maximum number of tools that the warning names. Of the others, it states only the number. */
const MAX_NAMED_TOOLS = 20;

function freeTools({ free }: ReplySchema): Warning[] {
  if (free.size === 0) return [];
  const tools = listFirst([...free], MAX_NAMED_TOOLS, ([tool, paths]) =>
    paths ? `${tool} (${paths.join(', ')})` : tool,
  );
  const message = `The provider cannot enforce the arguments of these tools; the service checks them after the reply: ${tools}.`;
  return [{ code: 'arguments_not_constrained', message }];
}
