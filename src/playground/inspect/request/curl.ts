import { type StepRequestInput, splitUnseen } from '../../../sdk/index.js';

/** The address to send a request to, and which keys the request needs; never the value of a key. */
export interface CurlOptions {
  /** The service's origin, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly needsKey: boolean;
  readonly needsToken: boolean;
}

/** Here-document delimiter; no line of JSON is ever equal to it. */
const END = 'END_OF_REQUEST';

/**
 * Formats a request as a curl command for a POSIX shell. Safe to paste whatever the task contains, and of any length,
 * since the body is read from standard input. Reads keys from the environment: `STEPWISE_LLM_KEY`, `STEPWISE_TOKEN`.
 */
export function curlOf(request: StepRequestInput, { origin, needsKey, needsToken }: CurlOptions): string {
  const { user_api_keys: _, ...body } = request;
  const headers = [
    "-H 'Content-Type: application/json'",
    ...(needsToken ? ['-H "Authorization: Bearer $STEPWISE_TOKEN"'] : []),
    ...(needsKey ? ['-H "X-LLM-API-Key: $STEPWISE_LLM_KEY"'] : []),
  ];
  return [
    ['curl -sS', quoted(`${origin}/api/agent/react_step`), ...headers, '--data-binary @-'].join(' \\\n  ') +
      ` <<'${END}'`,
    visibleJson(body),
    END,
    '',
  ].join('\n');
}

/** Quotes any text as a single word of a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Formats JSON with invisible and control characters escaped, so that none acts on a terminal. */
export const visibleJson = (value: unknown): string =>
  splitUnseen(JSON.stringify(value, null, 2))
    .map(({ text, isUnseen }) => (isUnseen ? escaped(text) : text))
    .join('');

/** Escapes a character named like `U+1F600` as JSON does, in UTF-16 code units. */
const escaped = (name: string): string =>
  [...String.fromCodePoint(Number.parseInt(name.slice(2), 16))]
    .flatMap((character) => Array.from({ length: character.length }, (_, at) => character.charCodeAt(at)))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
