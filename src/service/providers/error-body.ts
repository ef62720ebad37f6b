import { isObject } from '../../contract/fields.js';
import { isInterruption } from './finish-reasons.js';
import { objectsIn, parseJson, type VendorMessage } from './vendor.js';

type Fields = Readonly<Record<string, unknown>>;

/** An error body in whatever shape a vendor or a compatible server gives it. */
export interface ErrorBody {
  /** The object that describes the error; empty if there is none. */
  readonly fields: Fields;
  readonly message: string;
  /** The refused parameter, or the path to it. */
  readonly parameter: string | undefined;
  /** The part that the caller may see; absent if the body is no JSON. */
  readonly words: VendorMessage | undefined;
}

/** Reads an error body. One that is no JSON is its message. */
export function readErrorBody(body: string): ErrorBody {
  const json = parseJson(body);
  if (json === undefined) return { fields: {}, message: body, parameter: undefined, words: undefined };
  const fields = errorIn(json) ?? {};
  const sentences = [sentenceOf(fields), sentencesByName(fields['errors']), passedOn(fields)];
  const message = sentences.filter(Boolean).join(': ');
  const parameter = parameterIn(fields);
  return { fields, message, parameter, words: message === '' ? undefined : { message, parameter } };
}

/** Returns the sentence of the error that OpenRouter received from the model's provider and passes on as text. */
function passedOn({ metadata }: Fields): string {
  const raw = isObject(metadata) ? metadata['raw'] : undefined;
  if (typeof raw !== 'string') return '';
  const json = parseJson(raw);
  return json === undefined ? raw : sentenceOf(errorIn(json) ?? {});
}

/** Whether a JSON value is an error, or holds one beside a part of a completion. */
export function holdsError(json: unknown): boolean {
  if (Array.isArray(json)) return json.some((each) => isObject(each) && holdsError(each));
  if (!isObject(json)) return false;
  if (json['object'] === 'error' || json['type'] === 'error' || isInterrupted(json)) return true;
  if (placesOfErrors(json).some(isError)) return true;
  return objectsIn(json['choices']).length === 0 && !json['usage'] && sentenceOf(json) !== '';
}

/**
 * Returns the values that may be an error: in the body, in the response of an event, in a choice (OpenRouter), and in
 * a field of the vendor's own (Groq, MiniMax).
 */
function placesOfErrors(json: Fields): unknown[] {
  const { error, response, x_groq, base_resp } = json;
  const places = [{ error }, response, ...objectsIn(json['choices']), x_groq]
    .filter(isObject)
    .map((each) => each['error']);
  const failed = isObject(base_resp) && base_resp['status_code'] !== 0 ? base_resp : undefined;
  return failed ? [...places, { code: failed['status_code'], message: failed['status_msg'] }] : places;
}

/** Returns whether a value is an error. Some gateways send one without content beside each completion. */
const isError = (value: unknown): boolean =>
  isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);

/** Returns whether the finish reason says that the server gave up. */
function isInterrupted(json: Fields): boolean {
  const { stop_reason, delta, response, output } = json;
  const whole = isObject(response) ? response : output ? json : {};
  const { status, incomplete_details } = whole;
  const reasons = [
    ...objectsIn(json['choices']).map(({ finish_reason }) => finish_reason),
    stop_reason,
    isObject(delta) ? delta['stop_reason'] : null,
    status,
    isObject(incomplete_details) ? incomplete_details['reason'] : null,
  ];
  return reasons.some(isInterruption);
}

/**
 * Returns the object that describes the error: in one of its places, in a list (Gemini), or the whole body (vLLM,
 * FastAPI).
 */
function errorIn(json: unknown, depth = 0): Fields | undefined {
  if (typeof json === 'string') return { message: json };
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(json)) return errorIn(json[0], depth + 1);
  if (!isObject(json)) return undefined;
  return errorIn(placesOfErrors(json).find(isError), depth + 1) ?? json;
}

/** Returns the sentences of an error, from the first of these fields that has any. */
function sentenceOf(error: Fields, depth = 0): string {
  for (const name of sentenceFields) {
    const sentence = sentencesIn(error[name], depth);
    if (sentence !== '') return sentence;
  }
  return '';
}

/**
 * Fields that may hold the sentence of an error: the usual names, and those of FastAPI, Z.ai, Bedrock, Qianfan,
 * OAuth gateways, and LiteLLM, whose `message` or `detail` may be an object with `error`.
 */
const sentenceFields = [
  'message',
  'detail',
  'errors',
  'msg',
  'Message',
  'error_msg',
  'error_description',
  'error',
];

function sentencesIn(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value)) {
    const sentences = value.slice(0, MAX_ERRORS).map((each) => sentencesIn(each, depth + 1));
    return sentences.filter(Boolean).join('; ');
  }
  if (!isObject(value)) return '';
  return typeof value['msg'] === 'string' ? value['msg'] : sentenceOf(value, depth + 1);
}

/** Returns the sentences of an object whose fields are the names of refused parameters. */
function sentencesByName(errors: unknown): string {
  if (!isObject(errors) || sentenceOf(errors) !== '') return '';
  const named = Object.entries(errors).slice(0, MAX_ERRORS);
  return named.map(([name, value]) => `${name}: ${sentencesIn(value, 1)}`).join('; ');
}

/** Maximum number of errors that are read of one list. */
const MAX_ERRORS = 10;

/** Maximum nesting of errors that is read. A server may nest its JSON deeper than the stack allows. */
const MAX_DEPTH = 8;

/**
 * Returns the refused parameter or the path to it, as a field of the error or of the first entry of its list. FastAPI
 * gives a path under `loc`.
 */
function parameterIn(error: Fields): string | undefined {
  const { message, errors, detail = isObject(message) ? message['detail'] : errors } = error;
  const [entry = {}] = objectsIn(detail);
  for (const { param, parameter, field, loc, path } of [error, entry]) {
    const place = [param, parameter, field, loc, path].find(
      (each) => typeof each === 'string' || Array.isArray(each),
    );
    if (place && place !== 'None') return String(Array.isArray(place) ? place.join('.') : place);
  }
  return undefined;
}
