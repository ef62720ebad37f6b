import type { StepRequest } from '../../../../contract/step-request.js';

/** The tail's instruction in strict three-phase mode (SPEC §4.4). */
export const phaseTemplates = {
  reason: `Phase: reason. Take no action yet. Think about what to do next in a few sentences, then end with this block:
\`\`\`json
{"plan": "the next thing to do", "tools_to_consider": ["tool_name"], "finish": false}
\`\`\`
Set "finish" to true when nothing more has to be done to answer the task.
`,
  act: `Phase: act. Take the one action that the plan calls for.
`,
  observe: `Phase: observe. Take no action. Say in a few sentences what the latest result means for the task, then end with this block:
\`\`\`json
{"observation": "what was learned", "should_continue": true, "final_answer": null}
\`\`\`
When the task can be answered, set "should_continue" to false and put the whole answer into "final_answer".
`,
} as const satisfies Record<NonNullable<StepRequest['phase']>, string>;
