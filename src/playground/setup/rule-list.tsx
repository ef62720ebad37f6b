import { describeRule } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import { approvalRules, revoke } from '../state/runs.js';
import { Exact } from '../text/exact.js';

/** The rules that allow actions permanently, each with a button to revoke it (rule: always-rules). */
export function RuleList() {
  const rules = approvalRules.value;
  if (rules.length === 0) return null;
  return (
    <section class="group" aria-labelledby="rules-title">
      <h2 id="rules-title">Always allowed</h2>
      <ul class="rules">
        {rules.map((rule) => (
          <li key={describeRule(rule)}>
            <Exact text={describeRule(rule)} />
            <button type="button" class="quiet" aria-label="Revoke this rule" onClick={() => revoke(rule)}>
              <Icon name="cross" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
