import type { StepRequestInput } from 'stepwise';

/** A request as a command for a shell. It holds no key: the variable that it names is the person's to set. */
export function renderCurl(serviceUrl: string, request: StepRequestInput): string {
  const address = `${serviceUrl.replace(/\/+$/, '')}/api/agent/react_step`;
  return [
    `curl -sS ${quoted(address)}`,
    `-H 'content-type: application/json'`,
    '-H "x-llm-api-key: $STEPWISE_LLM_KEY"',
    `-d ${quoted(JSON.stringify(request))}`,
  ].join(' \\\n  ');
}

/** In single quotes, of which none is left inside. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
