import { isObject } from '../../contract/fields.js';
import { parseJson, type VendorMessage } from './vendor.js';

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
  const message = sentenceOf(fields);
  const parameter = typeof fields['param'] === 'string' ? fields['param'] : locationOf(fields);
  return { fields, message, parameter, words: message === '' ? undefined : { message, parameter } };
}

/** Whether a JSON value is an error, or holds one beside a part of a completion. */
export function holdsError(json: unknown): boolean {
  if (Array.isArray(json)) return json.some((each) => isObject(each) && holdsError(each));
  if (!isObject(json)) return false;
  if (json['error'] || json['object'] === 'error' || json['type'] === 'error') return true;
  if (isObject(json['response']) && json['response']['error']) return true;
  const choices = Array.isArray(json['choices']) ? json['choices'] : [];
  if (choices.some((choice) => isObject(choice) && choice['finish_reason'] === 'error')) return true;
  return choices.length === 0 && !json['usage'] && sentenceOf(json) !== '';
}

/**
 * Returns the object that describes the error: under `error`, in a list (Gemini), in the response of an event, or the
 * whole body (vLLM, FastAPI).
 */
function errorIn(json: unknown, depth = 0): Fields | undefined {
  if (typeof json === 'string') return { message: json };
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(json)) return errorIn(json[0], depth + 1);
  if (!isObject(json)) return undefined;
  const { response, error } = json;
  return errorIn(error, depth + 1) ?? (isObject(response) ? errorIn(response, depth + 1) : json);
}

/** Returns the sentences of an error: those of `message`, else of `detail`, else of `errors`. */
function sentenceOf({ message, detail, errors }: Fields, depth = 0): string {
  return sentencesIn(message, depth) || sentencesIn(detail, depth) || sentencesIn(errors, depth);
}

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

/** Maximum number of errors that are read of one list. */
const MAX_ERRORS = 10;

/** Maximum nesting of errors that is read. A server may nest its JSON deeper than the stack allows. */
const MAX_DEPTH = 8;

/** Returns the path of the refused field as FastAPI gives it: `loc` of the first entry of `detail`. */
function locationOf(error: Fields): string | undefined {
  const { message, detail = isObject(message) ? message['detail'] : undefined } = error;
  const first = Array.isArray(detail) ? detail[0] : undefined;
  const path = isObject(first) ? first['loc'] : undefined;
  return Array.isArray(path) ? path.join('.') : undefined;
}
