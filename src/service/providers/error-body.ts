import { isObject } from '../../contract/fields.js';
import { isInterruption } from './finish-reasons.js';
import type { VendorMessage } from './vendor.js';
import { type Fields, fieldsOf, objectsIn, parseJson } from './vendor-json.js';

/** An error body in any of the shapes that vendors and compatible servers use. */
export interface ErrorBody {
  /** The object that describes the error; empty if there is none. */
  readonly fields: Fields;
  /** The HTTP status that gateways send as the error's code; undefined if there is none. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | null;
  readonly message: string;
  /** The refused parameter, or the path to it. */
  readonly parameter: string | undefined;
  /** The part of the error that the caller may see; undefined if the body is not JSON. */
  readonly words: VendorMessage | undefined;
}

/** Reads an error body. A body that is not JSON is itself the error message. */
export function readErrorBody(body: string): ErrorBody {
  const json = parseJson(body);
  if (json === undefined) return { ...empty, message: body };
  const fields = errorIn(json) ?? {};
  const sentences = [sentenceOf(fields), sentencesByName(fields['errors']), passedOn(fields)];
  const message = sentences.filter(Boolean).join(': ');
  const parameter = parameterIn(fields);
  const words = message === '' ? undefined : { message, parameter };
  const retryAfterMs = retryDelayIn(fields);
  return { fields, status: statusOf(fields['code']), retryAfterMs, message, parameter, words };
}

const empty = { fields: {}, status: undefined, retryAfterMs: null, parameter: undefined, words: undefined };

/** Returns a code that is the status of an HTTP error; undefined for other codes, which are the vendor's own. */
function statusOf(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
    ? Number(status)
    : undefined;
}

/**
 * Returns the wait in the details of an error of Google, such as `35.2s`; null if there is none. Gemini sends no
 * `Retry-After`.
 */
function retryDelayIn({ details }: Fields): number | null {
  const delays = objectsIn(details).map(({ retryDelay }) =>
    typeof retryDelay === 'string' ? retryDelay : '',
  );
  const [seconds] = delays.flatMap((delay) => /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] ?? []);
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

/**
 * Returns the error message of the model's own provider, which OpenRouter passes on as text; empty if there is
 * none.
 */
function passedOn({ metadata }: Fields): string {
  const { raw } = fieldsOf(metadata);
  if (typeof raw !== 'string') return '';
  const json = parseJson(raw);
  return json === undefined ? raw : sentenceOf(errorIn(json) ?? {});
}

/** Returns whether a JSON value is an error, or contains one beside a part of a completion. */
export function holdsError(json: unknown): boolean {
  if (Array.isArray(json)) return json.some((each) => isObject(each) && holdsError(each));
  if (!isObject(json)) return false;
  if (json['object'] === 'error' || json['type'] === 'error' || isInterrupted(json)) return true;
  if (placesOfErrors(json).some(isError)) return true;
  return objectsIn(json['choices']).length === 0 && !json['usage'] && sentenceOf(json) !== '';
}

/**
 * Returns the values of all fields that may contain an error: in the body, in the response of an event, in a choice
 * (OpenRouter), and in a vendor's own field (Groq, MiniMax).
 */
function placesOfErrors(json: Fields): unknown[] {
  const { error, response, x_groq, base_resp } = json;
  const places = [{ error }, response, ...objectsIn(json['choices']), x_groq]
    .filter(isObject)
    .map((each) => each['error']);
  const failed = isObject(base_resp) && base_resp['status_code'] !== 0 ? base_resp : undefined;
  return failed ? [...places, { code: failed['status_code'], message: failed['status_msg'] }] : places;
}

/** Returns whether a value is an error. Some gateways send an empty error field beside each completion. */
const isError = (value: unknown): boolean =>
  isObject(value) ? Object.values(value).some(Boolean) : Boolean(value);

/** Returns whether the finish reason says that the server aborted the reply. */
function isInterrupted(json: Fields): boolean {
  const { stop_reason, delta, response, output } = json;
  const whole = isObject(response) ? response : output ? json : {};
  const { status, incomplete_details } = whole;
  const reasons = [
    ...objectsIn(json['choices']).map(({ finish_reason }) => finish_reason),
    stop_reason,
    fieldsOf(delta)['stop_reason'],
    status,
    fieldsOf(incomplete_details)['reason'],
  ];
  return reasons.some(isInterruption);
}

/**
 * Returns the object that describes the error: in one of the usual fields, in a list (Gemini), or the whole body
 * (vLLM, FastAPI).
 */
function errorIn(json: unknown, depth = 0): Fields | undefined {
  if (typeof json === 'string') return { message: json };
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(json)) return errorIn(json[0], depth + 1);
  if (!isObject(json)) return undefined;
  return errorIn(placesOfErrors(json).find(isError), depth + 1) ?? json;
}

/** Returns the error message, from the first of the known fields that contains one. */
function sentenceOf(error: Fields, depth = 0): string {
  for (const name of sentenceFields) {
    const sentence = sentencesIn(error[name], depth);
    if (sentence !== '') return sentence;
  }
  return '';
}

/**
 * Fields that may contain the error message: the usual names, and those of FastAPI, Z.ai, Bedrock, Qianfan,
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

/** Returns the messages of an error object whose fields are the names of refused parameters. */
function sentencesByName(errors: unknown): string {
  if (!isObject(errors) || sentenceOf(errors) !== '') return '';
  const named = Object.entries(errors).slice(0, MAX_ERRORS);
  return named.map(([name, value]) => `${name}: ${sentencesIn(value, 1)}`).join('; ');
}

/** Maximum number of errors that are read from one list. */
const MAX_ERRORS = 10;

/** Maximum nesting of errors that is read. A server may nest its JSON deeper than the stack allows. */
const MAX_DEPTH = 8;

/**
 * Returns the refused parameter or the path to it, from a field of the error or of the first entry of its list.
 * FastAPI sends a path under `loc`.
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
