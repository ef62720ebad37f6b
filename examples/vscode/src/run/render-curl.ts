import type { StepRequestInput } from 'stepwise';

/** Formats a request as a shell command. Contains no key, only the name of the variable for it. */
export function renderCurl(serviceUrl: string, request: StepRequestInput): string {
  const address = `${serviceUrl.replace(/\/+$/, '')}/api/agent/react_step`;
  return [
    `curl -sS ${quoted(address)}`,
    `-H 'content-type: application/json'`,
    '-H "x-llm-api-key: $STEPWISE_LLM_KEY"',
    `-d ${quoted(JSON.stringify(request))}`,
  ].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
