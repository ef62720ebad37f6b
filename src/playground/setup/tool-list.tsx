import type { Tool } from '../../sdk/index.js';
import { tools } from '../project/project.js';
import { change, settings } from '../state/settings.js';

/** The tools offered to the model, and what each may do. */
export function ToolList() {
  const { disabledTools } = settings.value;
  const toggle = (name: string, on: boolean): void =>
    change({ disabledTools: on ? disabledTools.filter((each) => each !== name) : [...disabledTools, name] });
  return (
    <section class="group" aria-labelledby="tools-title">
      <h2 id="tools-title">Tools</h2>
      <ul class="tools">
        {tools.value.map((tool) => (
          <li key={tool.name}>
            <label class="check" title={tool.description}>
              <input
                type="checkbox"
                checked={!disabledTools.includes(tool.name)}
                onChange={({ currentTarget }) => toggle(tool.name, currentTarget.checked)}
              />
              <code>{tool.name}</code>
              <span class="badge">{permission(tool)}</span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

function permission({ annotations }: Tool): string {
  if (annotations?.readOnlyHint) return 'reads';
  return annotations?.requiresApproval ? 'asks first' : '';
}
