import { change, modelKey, models, needsKey, serviceToken, settings } from '../state/settings.js';

/** Model, endpoint and keys. Keys stay in the page's memory and are sent only in headers of its requests. */
export function ModelSettings() {
  const { model, upstream } = settings.value;
  const list = models.value;
  return (
    <section class="group" aria-labelledby="model-title">
      <h2 id="model-title">Model</h2>
      <label class="field">
        <span>Name</span>
        <input
          list="model-names"
          value={model}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => change({ model: currentTarget.value.trim() })}
        />
      </label>
      <datalist id="model-names">
        {list?.models
          .filter(({ name }) => /^[\w.:/-]+$/.test(name))
          .map(({ name, provider }) => (
            <option value={name}>{provider}</option>
          ))}
      </datalist>
      <label class="field">
        <span>Upstream</span>
        <select value={upstream} onChange={({ currentTarget }) => change({ upstream: currentTarget.value })}>
          <option value="">Automatic</option>
          {list?.upstreams.map(({ name }) => (
            <option>{name}</option>
          ))}
        </select>
      </label>
      {needsKey.value && <Secret label="Model key" held={modelKey} />}
      <Secret label="Service token" held={serviceToken} hint="if required" />
    </section>
  );
}

interface SecretProps {
  readonly label: string;
  readonly held: { value: string };
  readonly hint?: string;
}

const Secret = ({ label, held, hint }: SecretProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      type="password"
      autocomplete="off"
      spellcheck={false}
      placeholder={hint ?? 'stays in memory'}
      // A `value` attribute would write the key into the DOM.
      onInput={({ currentTarget }) => {
        held.value = currentTarget.value;
      }}
    />
  </label>
);
