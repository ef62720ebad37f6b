import type { ModelCallView, Step } from '../../../sdk/index.js';
import { failureInWords } from '../../run/failure-in-words.js';
import { wantsKey } from '../../run/model-access.js';
import { models, serviceToken } from '../../state/settings.js';
import { duration } from '../../text/figures.js';
import { CopyButton } from '../copy-button.js';
import { Fact, Facts } from '../facts.js';
import { curlOf, visibleJson } from './curl.js';
import { JsonTree } from './json-tree.js';

/** The request and response of a model call as JSON. */
export function RequestTab({ call }: { call: ModelCallView }) {
  const { request, response, failures, startedAt, endedAt } = call;
  if (!request) return <p class="muted">The request has not been sent yet.</p>;
  const curl = (): string =>
    curlOf(request, {
      origin: location.origin,
      needsKey: wantsKey(request.llm_config, models.value),
      needsToken: serviceToken.value.trim() !== '',
    });
  return (
    <>
      <div class="inspector-row">
        <CopyButton label="Copy as curl" text={curl} />
        <CopyButton label="Copy request" text={() => visibleJson(request)} />
        {response && <CopyButton label="Copy response" text={() => visibleJson(response)} />}
      </div>
      {response && <Outcome response={response} />}
      {startedAt !== null && endedAt !== null && (
        <Facts>
          <Fact name="Time" value={duration(endedAt - startedAt)} />
        </Facts>
      )}
      {failures.map(({ error }) => (
        <p class="problem" key={error.code}>
          {failureInWords(error)} <code>{error.code}</code>
        </p>
      ))}
      <div class="json-root">
        <JsonTree name="request" value={request} isOpen />
        {response && <JsonTree name="response" value={response} isOpen />}
      </div>
    </>
  );
}

function Outcome({ response }: { response: Step }) {
  const { usage, signals, warnings, model, provider, finish_reason, finish_reason_raw, request_id } =
    response;
  return (
    <>
      <Facts>
        {model && <Fact name="Model" value={provider ? `${model} at ${provider}` : model} />}
        {finish_reason && <Fact name="Ended by" value={named(finish_reason, finish_reason_raw)} />}
        {usage &&
          Object.entries(usage).map(([name, count]) => <Count key={name} name={name} count={count} />)}
        <Fact name="Request id" value={request_id} />
      </Facts>
      {signals && (
        <>
          <h3>Signals</h3>
          <Facts>
            {Object.entries(signals).map(([name, value]) => (
              <Fact key={name} name={inWords(name)} value={signalInWords(value)} />
            ))}
          </Facts>
        </>
      )}
      {warnings.length > 0 && (
        <>
          <h3>Warnings</h3>
          <ul class="items">
            {warnings.map(({ code, message }) => (
              <li key={`${code} ${message}`}>
                <code>{code}</code> {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** A row with a token count; omitted if the provider does not report it. */
const Count = ({ name, count }: { name: string; count: number | null }) =>
  count === null ? null : <Fact name={inWords(name)} value={count.toLocaleString('en')} />;

const inWords = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const signalInWords = (value: number | boolean): string =>
  typeof value === 'number' ? String(value) : value ? 'yes' : 'no';

const named = (reason: string, raw: string | null): string =>
  raw && raw !== reason ? `${reason} (${raw})` : reason;
