import { useState } from 'preact/hooks';
import type { Divergence, PromptText, StepSide } from '../../eval/eval-report.js';
import { renderCall } from '../../sdk/index.js';
import type { PartPair, StepFigures, StepPair } from '../branches/compare/align-steps.js';
import { StepComparison } from '../branches/compare/step-comparison.js';
import { PromptDiff } from '../inspect/prompt/prompt-diff.js';
import { promptMessages } from '../inspect/prompt/prompt-sections.js';
import { Exact } from '../text/exact.js';
import { LongText } from '../text/long-text.js';

interface DivergenceCardProps {
  readonly divergence: Divergence;
  readonly isOpen: boolean;
}

/** The first differing step of a run: both parse results, both replies and the difference of the prompts. */
export function DivergenceCard({ divergence, isOpen: opensFirst }: DivergenceCardProps) {
  const [isOpen, setIsOpen] = useState(opensFirst);
  const { cell, run, task, step, differs, recorded, now } = divergence;
  return (
    <details
      class="report-card"
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        <b>
          <Exact text={run} />, step {step}
        </b>{' '}
        with <Exact text={cell} />: <span class="report-different">{differs.join(', ')}</span>
      </summary>
      {isOpen && (
        <>
          <div class="muted">
            <LongText text={task} lines={4} />
          </div>
          <div class="compare-sides report-names">
            <b>recorded</b>
            <b>
              <Exact text={cell} />
            </b>
          </div>
          <ol>
            <StepComparison pair={toPair(divergence)} names={['recorded', cell]} />
          </ol>
          <Replies recorded={recorded} now={now} />
          <Prompts before={recorded.prompt} after={now.prompt} />
        </>
      )}
    </details>
  );
}

function Prompts({ before, after }: { before: PromptText | null; after: PromptText | null }) {
  if (!before || !after) return null;
  return (
    <>
      <h3>Difference of the prompts</h3>
      <PromptDiff before={promptMessages(before, null)} after={promptMessages(after, null)} />
    </>
  );
}

/** Shows the replies as the model wrote them, since the difference may be in how the parsers read them. */
const Replies = ({ recorded, now }: Pick<Divergence, 'recorded' | 'now'>) => (
  <>
    <h3>{recorded.reply === now.reply ? 'Reply, the same in both' : 'Replies as written'}</h3>
    <div class="compare-sides code">
      <LongText isExact text={recorded.reply} lines={40} />
      {recorded.reply !== now.reply && <LongText isExact text={now.reply} lines={40} />}
    </div>
  </>
);

function toPair({ step, recorded, now }: Divergence): StepPair {
  const parts = [
    ...pairOf('Thought', recorded.reading.thought, now.reading.thought),
    ...pairOf('Call', callsOf(recorded), callsOf(now)),
    ...pairOf('Answer', answerOf(recorded), answerOf(now)),
  ];
  return { number: step, parts, isSame: false, left: figuresOf(recorded), right: figuresOf(now) };
}

function pairOf(name: PartPair['name'], before: string | null, after: string | null): readonly PartPair[] {
  const [left, right] = [before ?? '', after ?? ''];
  return left === '' && right === '' ? [] : [{ name, left, right, isSame: left === right }];
}

const callsOf = ({ reading: { calls } }: StepSide): string =>
  calls.map(({ tool, args }) => renderCall(tool, args)).join('\n');

/**
 * Returns the answer as text. Puts any outcome other than an action or an answer before it, such as
 * `malformed_action`.
 */
function answerOf({ reading: { outcome, answer, value } }: StepSide): string {
  const text = value === null ? (answer ?? '') : JSON.stringify(value, null, 2);
  return outcome === 'action' || outcome === 'answer' ? text : `${outcome}: ${text}`;
}

const figuresOf = ({ reading }: StepSide): StepFigures => ({
  promptTokens: reading.promptTokens,
  inputTokens: reading.inputTokens,
  outputTokens: reading.outputTokens,
});
