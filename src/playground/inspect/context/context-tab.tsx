import type { ComponentChildren } from 'preact';
import type { ContextReport, ReportItem } from '../../../sdk/index.js';
import { BudgetBar } from '../../composer/budget-bar.js';
import { unsent } from '../../project/project.js';
import { plural, tokens } from '../../text/figures.js';
import { wordFor } from '../../text/word-for.js';
import type { Inspected } from '../inspected.js';
import { usePreview } from '../use-preview.js';
import { FreeRoom } from './free-room.js';
import { ItemName } from './item-name.js';
import { kindNames, type LeftOut, leftOut, linesInWords, nameOf, sizeInWords } from './left-out.js';
import { PinButton } from './pin-button.js';
import { WhatIf } from './what-if-slider.js';

/** The context that a step included, what was left out and why, and the effect of another budget. */
export function ContextTab(inspected: Inspected) {
  const { client, call } = inspected;
  const { preview, problem } = usePreview(client, call.request);
  const report = call.response?.context_report ?? preview?.context_report;
  if (!report && problem && call.failures.length > 0) return <CallFailed />;
  if (!report) return <p class="muted">{problem ?? 'The prompt is being rebuilt.'}</p>;
  return (
    <>
      <BudgetBar report={report} name="This prompt" />
      <FreeRoom report={report} />
      <LeftOutDrawer
        report={report}
        unsent={unsent.value}
        actions={(item) => <PinButton key={`${item.kind} ${item.id}`} item={item} {...inspected} />}
      />
      <Included report={report} />
      {preview && <WhatIf key={call.request?.session_id} now={preview.context_report} {...inspected} />}
    </>
  );
}

/** Says that the call failed; the step card already shows the reason. */
export const CallFailed = () => <p class="muted">The call failed, so its prompt cannot be rebuilt.</p>;

interface BudgetTabProps {
  readonly report: ContextReport;
  /** Name of the prompt. */
  readonly name: string;
  /** Reasons why this page did not send files, by path; only for prompts of this page. */
  readonly unsent?: ReadonlyMap<string, string>;
}

/** The context report of a prompt, without actions. */
export function BudgetTab({ report, name, unsent: reasons = new Map() }: BudgetTabProps) {
  return (
    <>
      <BudgetBar report={report} name={name} />
      <FreeRoom report={report} />
      <LeftOutDrawer report={report} unsent={reasons} />
      <Included report={report} />
    </>
  );
}

interface DrawerProps {
  readonly report: ContextReport;
  readonly unsent: ReadonlyMap<string, string>;
  readonly actions?: ((item: ReportItem) => ComponentChildren) | undefined;
}

function LeftOutDrawer({ report, unsent: reasons, actions }: DrawerProps) {
  const groups = leftOut(report, reasons);
  if (groups.length === 0) return <p class="nothing-left-out">Nothing was left out.</p>;
  return (
    <details class="drawer" open>
      <summary>
        <h3>Left out or cut</h3>{' '}
        <span class="count figure">{groups.reduce((sum, { items }) => sum + items.length, 0)}</span>
      </summary>
      {groups.map((group) => (
        <LeftOutGroup key={`${group.status} ${group.why}`} group={group} actions={actions} />
      ))}
    </details>
  );
}

/** A reason why items were left out or cut, followed by those items. */
const LeftOutGroup = ({
  group: { what, why, status, items },
  actions,
}: { group: LeftOut } & Pick<DrawerProps, 'actions'>) => (
  <section class={`left-out left-out-${status}`}>
    <p class="item-why">
      <span class="fate">{what}</span> {why}
    </p>
    <ul class="items">
      {items.map((item) => (
        <li key={`${item.kind} ${item.id}`} class="item-row">
          <ItemName name={nameOf(item)} />
          <span class="muted small figure">
            {[wordFor(kindNames, item.kind), sizeInWords(item)].filter(Boolean).join(' · ')}
          </span>
          {actions?.(item)}
        </li>
      ))}
    </ul>
  </section>
);

function Included({ report: { items, folders } }: { report: ContextReport }) {
  const included = items.filter(({ status }) => status === 'included');
  if (included.length + folders.length === 0) return null;
  return (
    <details class="drawer" open={included.length < 12}>
      <summary>
        <h3>Included whole</h3> <span class="count figure">{included.length}</span>
      </summary>
      <ul class="items">
        {folders.map(({ path, files, included: shown }) => (
          <li key={path} class="item-line">
            <ItemName name={`${path}/`} />
            <span class="muted small figure">
              {shown} of {plural(files, 'file')}
            </span>
          </li>
        ))}
        {included.map((item) => (
          <li key={`${item.kind} ${item.id}`} class="item-line">
            <ItemName name={nameOf(item)} />
            <span class="muted small figure">
              {[
                wordFor(kindNames, item.kind),
                item.lines && linesInWords(item.lines),
                `${tokens(item.tokens)} tokens`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
