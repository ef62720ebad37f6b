import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { renderCall, type Trajectory } from '../../sdk/index.js';
import { inWords, trouble } from '../state/runs.js';
import { models } from '../state/settings.js';
import { Exact } from '../text/exact.js';
import { type BranchDraft, changeableActions, describeDraft, draftOf, problemOf } from './branch-draft.js';
import { FileChoice } from './file-choice.js';
import { type Leaving, leaving, startBranch, takeModel } from './start-branch.js';

/** Asks what a branch should change. The browser traps the focus in the dialog and restores it. */
export function BranchDialog() {
  const from = leaving.value;
  const saved = from?.branch.saved;
  if (!from || !saved) return null;
  return (
    <OpenDialog key={`${from.branch.id} ${from.step.number} ${from.keepsStep}`} from={from} saved={saved} />
  );
}

const close = (): void => {
  leaving.value = null;
};

interface OpenDialogProps {
  readonly from: Leaving;
  readonly saved: Trajectory;
}

function OpenDialog({ from: { branch, step, keepsStep }, saved }: OpenDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [before] = useState(() => draftOf(saved, branch, step));
  const [draft, setDraft] = useState<BranchDraft>({ ...before, keepsStep });
  const [problem, setProblem] = useState<string | null>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const start = (steps?: number): void => {
    const found = problemOf(draft) ?? takeModel(draft);
    setProblem(found);
    if (found !== null) return;
    dialog.current?.close();
    startBranch({ branch, step, draft, ...(steps !== undefined && { steps }) }).catch((error: unknown) => {
      trouble.value = inWords(error);
    });
  };
  const amend = (changes: Partial<BranchDraft>): void => setDraft({ ...draft, ...changes });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  };
  return (
    <dialog
      ref={dialog}
      class="dialog dialog-branch"
      aria-labelledby="branch-title"
      onClose={close}
      onKeyDown={onKeyDown}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <header>
          <h2 id="branch-title">Branch from step {step.number}</h2>
          <p class="muted">The run itself stays as it is; the branch stands beside it.</p>
        </header>
        <div class="dialog-body">
          <WhatIsKept step={step} draft={draft} amend={amend} />
          <Settings draft={draft} amend={amend} />
          <FileChoice draft={draft} before={before} amend={amend} />
        </div>
        <footer>
          <p class="branch-name" aria-live="polite">
            <Exact text={describeDraft(draft, before, step)} />
          </p>
          {problem !== null && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <div class="choices">
            <button type="submit" class="primary" title="Ctrl+Enter">
              Go on from here
            </button>
            <button type="button" onClick={() => start(1)}>
              Take one step
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </footer>
      </form>
    </dialog>
  );
}

interface DraftProps {
  readonly draft: BranchDraft;
  readonly amend: (changes: Partial<BranchDraft>) => void;
}

function WhatIsKept({ step, draft, amend }: DraftProps & Pick<Leaving, 'step'>) {
  const changeable = changeableActions(step);
  if (changeable.length === 0) return null;
  return (
    <fieldset>
      <legend class="hidden">How to treat step {step.number}</legend>
      <label class="check">
        <input
          type="radio"
          name="kept"
          checked={!draft.keepsStep}
          onChange={() => amend({ keepsStep: false })}
        />
        Do step {step.number} again
      </label>
      <label class="check">
        <input
          type="radio"
          name="kept"
          checked={draft.keepsStep}
          onChange={() => amend({ keepsStep: true })}
        />
        Keep step {step.number}, and go on with these results
      </label>
      {draft.keepsStep &&
        changeable.map(({ id, tool, args }, index) => (
          <label class="branch-result" key={id}>
            <code class="call">
              <Exact text={shortened(renderCall(tool, args))} />
            </code>
            <textarea
              class="code"
              rows={8}
              dir="auto"
              spellcheck={false}
              autofocus={index === 0}
              value={draft.observations[id] ?? ''}
              onInput={({ currentTarget }) =>
                amend({ observations: { ...draft.observations, [id]: currentTarget.value } })
              }
            />
          </label>
        ))}
    </fieldset>
  );
}

const MAX_CALL_CHARACTERS = 300;

const shortened = (call: string): string =>
  call.length > MAX_CALL_CHARACTERS ? `${call.slice(0, MAX_CALL_CHARACTERS)}…` : call;

function Settings({ draft, amend }: DraftProps) {
  const list = models.value;
  return (
    <div class="branch-settings">
      <label>
        Model
        <input
          list="branch-models"
          value={draft.model}
          onInput={({ currentTarget }) => amend({ model: currentTarget.value })}
        />
      </label>
      <datalist id="branch-models">
        {list?.models.map(({ name }) => (
          <option value={name} />
        ))}
      </datalist>
      <label>
        Upstream
        <select
          value={draft.upstream}
          onChange={({ currentTarget }) => amend({ upstream: currentTarget.value })}
        >
          <option value="">Automatic</option>
          {upstreamNames(draft, list?.upstreams ?? []).map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      <WholeNumber
        name="Token limit"
        value={draft.tokenLimit}
        onValue={(tokenLimit) => amend({ tokenLimit })}
      />
      <WholeNumber
        name="Reply reserve"
        value={draft.reservedOutputTokens}
        onValue={(reservedOutputTokens) => amend({ reservedOutputTokens })}
      />
      <WholeNumber name="Maximum steps" value={draft.maxSteps} onValue={(maxSteps) => amend({ maxSteps })} />
      <label class="branch-instructions">
        Instructions
        <textarea
          rows={2}
          dir="auto"
          placeholder="None"
          value={draft.instructions}
          onInput={({ currentTarget }) => amend({ instructions: currentTarget.value })}
        />
      </label>
    </div>
  );
}

/** Returns the names of the service's upstreams and of the run's upstream, which may belong to another service. */
const upstreamNames = (
  { upstream }: BranchDraft,
  known: readonly { readonly name: string }[],
): readonly string[] => [
  ...new Set([...known.map(({ name }) => name), ...(upstream === '' ? [] : [upstream])]),
];

interface WholeNumberProps {
  readonly name: string;
  readonly value: number;
  readonly onValue: (value: number) => void;
}

const WholeNumber = ({ name, value, onValue }: WholeNumberProps) => (
  <label>
    {name}
    <input
      type="number"
      min={1}
      step={1}
      value={Number.isNaN(value) ? '' : value}
      onInput={({ currentTarget }) => onValue(currentTarget.valueAsNumber)}
    />
  </label>
);
