import { useState } from 'preact/hooks';
import { serviceToken } from '../state/settings.js';
import { Exact } from '../text/exact.js';
import { plural } from '../text/figures.js';
import { connection, watch } from './watching.js';
import { refusalInWords } from './words.js';

/** The state of the connection in words, and what the person can do if there is none. */
export function ConnectionLine() {
  const now = connection.value;
  return (
    <div class={`live-connection live-${now.type}`}>
      <p role="status">
        <span class="live-dot" aria-hidden="true" />
        <span>
          <Exact text={inWords()} />
        </span>
      </p>
      {now.type === 'cut' && <Again label="Connect now" />}
      {now.type === 'refused' &&
        ([401, 403].includes(now.refusal.status) ? <TokenForm /> : <Again label="Try again" />)}
    </div>
  );
}

function inWords(): string {
  const now = connection.value;
  switch (now.type) {
    case 'connecting':
      return 'Connecting to the service.';
    case 'open':
      return 'Connected: each step appears as it begins.';
    case 'cut':
      return `The connection was cut. The page connects again in ${plural(now.seconds, 'second')}; steps that the service still keeps follow then.`;
    case 'refused':
      return refusalInWords(now);
  }
}

const Again = ({ label }: { label: string }) => (
  <button type="button" class="small-button" onClick={() => watch()}>
    {label}
  </button>
);

/** Asks for a token. It stays in the page's memory, like the one in the setup. */
function TokenForm() {
  const [token, setToken] = useState('');
  return (
    <form
      class="live-token"
      onSubmit={(event) => {
        event.preventDefault();
        serviceToken.value = token;
        watch();
      }}
    >
      <label>
        <span class="hidden">Service token</span>
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="Service token"
          // A `value` attribute would write the token into the DOM.
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <button type="submit">Connect</button>
    </form>
  );
}
