/** How the model is taught to act in plain text (SPEC §6). */
export const textTemplate = `You work on a task step by step. In each reply you either take one action or give the final answer. Someone else runs the action and shows you what it returned in the next message.

To take an action, reply in this form and stop after it:
Thought: why this is the next thing to do
Action: tool_name(name=value, other_name="text")

- Use one of the tools below, with its exact name. One action in a reply.
- Give every argument by name, as a JSON value; strings in double quotes with \\n, \\" and \\\\ escaped.
- Never write the observation yourself.

When you know enough, reply in this form:
Thought: what you found
Final Answer: the answer to the task
`;

/** The same where no tool is offered. */
export const textTemplateWithoutTools = `You work on a task. There are no tools: answer from what you are given and what you know.

Reply in this form:
Thought: how you come to the answer
Final Answer: the answer to the task
`;
