import { type StepRequestInput, splitUnseen } from '../../../sdk/index.js';

/** What a request is sent with besides its body. Keys are told by whether there is one; their values are nowhere here. */
export interface CurlOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly needsKey: boolean;
  readonly needsToken: boolean;
}

/** Stands alone on its line to end the body; a line of JSON is never just this. */
const END = 'END_OF_REQUEST';

/**
 * The request as a command for a POSIX shell: works when pasted, whatever the task says, and however long it is, since the
 * body is no argument of a program. Keys are taken from the environment: `STEPWISE_LLM_KEY`, `STEPWISE_TOKEN`.
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

/** For a POSIX shell: one word, whatever it holds. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** JSON in which every character is seen and none is a key to a terminal: those that are not are escaped. */
export const visibleJson = (value: unknown): string =>
  splitUnseen(JSON.stringify(value, null, 2))
    .map(({ text, isUnseen }) => (isUnseen ? escaped(text) : text))
    .join('');

/** `U+1F600` as JSON writes it: in UTF-16. */
const escaped = (name: string): string =>
  [...String.fromCodePoint(Number.parseInt(name.slice(2), 16))]
    .flatMap((character) => Array.from({ length: character.length }, (_, at) => character.charCodeAt(at)))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
