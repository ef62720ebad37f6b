import { ProjectPanel } from '../project/project-panel.js';
import { change, protocols, settings } from '../state/settings.js';
import { BudgetSettings } from './budget-settings.js';
import { ModelSettings } from './model-settings.js';
import { RuleList } from './rule-list.js';
import { ToolList } from './tool-list.js';

/** All settings of a run except its task. */
export function SetupPanel() {
  const { protocol, strategy, maxSteps, instructions } = settings.value;
  const known = protocols.value;
  return (
    <>
      <ProjectPanel />
      <ModelSettings />
      <BudgetSettings />
      <section class="group" aria-labelledby="loop-title">
        <h2 id="loop-title">Loop</h2>
        <label class="field">
          <span>Protocol</span>
          <select
            value={protocol}
            onChange={({ currentTarget }) => change({ protocol: protocolOf(currentTarget.value) })}
          >
            {allProtocols.map((name) => (
              <option
                key={name}
                value={name}
                disabled={name !== 'auto' && known !== null && !known.includes(name)}
              >
                {name === 'auto' ? 'Automatic' : name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Strategy</span>
          <select
            value={strategy}
            onChange={({ currentTarget }) =>
              change({ strategy: currentTarget.value === 'react' ? 'react' : 'reason-act-observe' })
            }
          >
            <option value="react">react</option>
            <option value="reason-act-observe">reason, act, observe</option>
          </select>
        </label>
        <label class="field">
          <span>Max. steps</span>
          <input
            type="number"
            min={1}
            max={100}
            value={maxSteps}
            onChange={({ currentTarget }) => change({ maxSteps: wholeNumber(currentTarget, maxSteps) })}
          />
        </label>
        <label class="field-wide">
          <span>Instructions</span>
          <textarea
            rows={3}
            dir="auto"
            value={instructions}
            placeholder="Extra system text, inside the budget"
            onInput={({ currentTarget }) => change({ instructions: currentTarget.value })}
          />
        </label>
      </section>
      <ToolList />
      <RuleList />
    </>
  );
}

const allProtocols = ['text', 'xml', 'json', 'native', 'auto'] as const;
const protocolOf = (value: string) => allProtocols.find((name) => name === value) ?? 'text';

/** Clamps a typed number to the field's bounds. Returns the former value if the typed text is no number. */
function wholeNumber({ value, min, max }: HTMLInputElement, former: number): number {
  const typed = Math.round(Number(value));
  return value === '' || Number.isNaN(typed) ? former : Math.min(Number(max), Math.max(Number(min), typed));
}
