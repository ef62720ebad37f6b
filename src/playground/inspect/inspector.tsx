import { useSignal } from '@preact/signals';
import type { ModelCallView, StepView, StepwiseClient } from '../../sdk/index.js';
import { unsent } from '../project/project.js';
import type { Branch } from '../run/branch.js';
import { nextPrompt } from '../state/next-prompt.js';
import { selected } from '../state/runs.js';
import { BudgetTab, ContextTab } from './context/context-tab.js';
import type { Inspected } from './inspected.js';
import { NextPromptTab, PromptTab } from './prompt/prompt-tab.js';
import { ReplyTab } from './reply/reply-tab.js';
import { RequestTab } from './request/request-tab.js';
import { Tabs } from './tabs.js';

export interface InspectorProps {
  readonly client: StepwiseClient;
  readonly branch: Branch | null;
  /** The inspected step; the newest by default. */
  readonly step: StepView | null;
  /** The inspected model call of the step; the strict strategy makes several. */
  readonly call: ModelCallView | null;
}

/**
 * Shows the request, prompt, reply and context of a step; before the first step, the prompt that the next run
 * would send.
 */
export function Inspector({ client, branch, step, call }: InspectorProps) {
  const tab = useSignal('context');
  if (!branch || !step || !call) return <BeforeTheRun tab={tab} />;
  const inspected = { client, branch, step, call };
  return (
    <div class="inspector">
      <header class="inspector-head">
        <h2>Step {step.number}</h2>
        <CallPicker step={step} call={call} />
      </header>
      <Tabs
        label={`Step ${step.number}`}
        open={tab}
        tabs={[
          { id: 'context', name: 'Context', panel: () => <ContextTab {...inspected} /> },
          { id: 'prompt', name: 'Prompt', panel: () => <PromptTab {...inspected} /> },
          { id: 'reply', name: 'Reply', panel: () => <ReplyTab call={call} /> },
          { id: 'request', name: 'Request', panel: () => <RequestTab call={call} /> },
        ]}
      />
    </div>
  );
}

/** Selects a model call of a step, since the strict strategy makes one for each phase. */
function CallPicker({ step, call }: Pick<Inspected, 'step' | 'call'>) {
  if (step.calls.length < 2) return null;
  return (
    <fieldset class="segments">
      <legend class="hidden">Model call</legend>
      {step.calls.map((each, index) => (
        <button
          type="button"
          aria-pressed={each === call}
          onClick={() => {
            selected.value = { step: step.number, call: index };
          }}
        >
          {each.phase ?? `Call ${index + 1}`}
        </button>
      ))}
    </fieldset>
  );
}

function BeforeTheRun({ tab }: { tab: { value: string } }) {
  const preview = nextPrompt.value;
  return (
    <div class="inspector">
      <header class="inspector-head">
        <h2>The first prompt</h2>
      </header>
      <p class="muted small">What Run would send with these settings. No model has been called.</p>
      {preview && (
        <Tabs
          label="The first prompt"
          open={tab}
          tabs={[
            {
              id: 'context',
              name: 'Context',
              panel: () => (
                <BudgetTab report={preview.context_report} name="First prompt" unsent={unsent.value} />
              ),
            },
            { id: 'prompt', name: 'Prompt', panel: () => <NextPromptTab preview={preview} /> },
          ]}
        />
      )}
    </div>
  );
}
