import { useEffect, useState } from 'preact/hooks';
import type { ModelCallView, Parse } from '../../../sdk/index.js';
import { failureInWords } from '../../run/failure-in-words.js';
import { Exact } from '../../text/exact.js';
import { plural } from '../../text/figures.js';
import { LongText } from '../../text/long-text.js';
import { repairInWords } from '../../text/repair-in-words.js';
import { wordFor } from '../../text/word-for.js';
import { CopyButton } from '../copy-button.js';
import { Fact, Facts } from '../facts.js';
import { PieceLegend, Pieces } from './pieces.js';
import type { Provenance } from './provenance.js';
import { confidences, dialects, outcomes } from './reading-in-words.js';

/** The model's reply and how each part of it was parsed. */
export function ReplyTab({ call }: { call: ModelCallView }) {
  const { response } = call;
  if (!response) return <WrittenSoFar call={call} />;
  const {
    parse,
    completion_text: text,
    reasoning,
    correction,
    additional_actions,
    action_details,
  } = response;
  return (
    <>
      {parse && <Reading parse={parse} />}
      {text ? <Completion call={call} text={text} /> : <p class="muted">The model wrote no text.</p>}
      {parse?.dialect === 'native' && (
        <section>
          <h3>Calls, in the provider's own form</h3>
          {[action_details, ...additional_actions].map(
            (action) =>
              action && (
                <pre class="box" key={action.id}>
                  <Exact text={action.raw_action_string} />
                </pre>
              ),
          )}
        </section>
      )}
      {correction && (
        <section>
          <h3>Feedback to the model</h3>
          <div class="box">
            <LongText text={correction.content ?? ''} />
          </div>
        </section>
      )}
      {reasoning && (
        <details class="drawer">
          <summary>
            <h3>Reasoning</h3> <span class="count figure">{plural(reasoning.length, 'character')}</span>
          </summary>
          <LongText text={reasoning} lines={40} characters={8_000} />
        </details>
      )}
    </>
  );
}

function Reading({ parse }: { parse: Parse }) {
  const { outcome, dialect, confidence, repairs, discarded, problem } = parse;
  return (
    <Facts>
      <Fact name="Parsed as" value={wordFor(outcomes, outcome)} />
      {dialect && <Fact name="Format" value={wordFor(dialects, dialect)} />}
      <Fact name="Confidence" value={wordFor(confidences, confidence)} />
      {repairs.length > 0 && <Fact name="Repairs" value={repairs.map(repairInWords).join(', ')} />}
      {discarded.length > 0 && (
        <Fact
          name="Discarded"
          value={discarded
            .map(({ kind, chars }) => `${plural(chars, 'character')} of ${kind.replaceAll('_', ' ')}`)
            .join(', ')}
        />
      )}
      {problem && <Fact name="Problem" value={problem} />}
    </Facts>
  );
}

function Completion({ call, text }: { call: ModelCallView; text: string }) {
  const provenance = useProvenance(call);
  return (
    <section>
      <div class="inspector-row">
        <h3>Completion</h3>
        <CopyButton label="Copy" text={() => text} />
      </div>
      {provenance && <PieceLegend pieces={provenance.pieces} />}
      <div class="box">
        {provenance ? (
          <Pieces pieces={provenance.pieces} />
        ) : (
          <LongText text={text} lines={40} characters={8_000} />
        )}
      </div>
      {provenance?.otherwise && (
        <p class="muted small">
          Read again in this page it comes to something else: {outcomes[provenance.otherwise].toLowerCase()}.
          The service parses native calls from more than this text.
        </p>
      )}
    </section>
  );
}

/** Loads the parser when the first reply is opened. */
function useProvenance({ request, response }: ModelCallView): Provenance | null {
  const [read, setRead] = useState<{ readonly of: unknown; readonly provenance: Provenance } | null>(null);
  useEffect(() => {
    if (!request || !response) return;
    let isWanted = true;
    import('./provenance.js').then(
      ({ provenanceOf }) => {
        if (isWanted) setRead({ of: response, provenance: provenanceOf(response, request) });
      },
      () => undefined, // then the text is shown without
    );
    return () => {
      isWanted = false;
    };
  }, [request, response]);
  return read?.of === response ? read.provenance : null;
}

function WrittenSoFar({ call: { thought, answer, failures, request } }: { call: ModelCallView }) {
  const last = failures.at(-1);
  if (last) {
    return (
      <p class="problem">
        {failureInWords(last.error)} <code>{last.error.code}</code>
      </p>
    );
  }
  if (thought === '' && answer === '') {
    return (
      <p class="muted">{request ? 'Nothing has been written yet.' : 'The request has not been sent yet.'}</p>
    );
  }
  return (
    <section>
      <h3>Written so far</h3>
      <div class="box">
        {thought !== '' && (
          <div class="piece-kind kind-thought">
            <LongText text={thought} lines={40} characters={8_000} />
          </div>
        )}
        {answer !== '' && (
          <div class="piece-kind kind-answer">
            <LongText text={answer} lines={40} characters={8_000} />
          </div>
        )}
      </div>
    </section>
  );
}
