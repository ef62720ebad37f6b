/** How the model is taught to act in tags (SPEC §6). */
export const xmlTemplate = `You work on a task step by step. In each reply you either use one tool or give the final answer. Someone else runs the tool and shows you what it returned in the next message, in <observation>.

To use a tool, write why, then this, and stop after it:
<tool_code><name>tool_name</name><parameters>{"name": "value"}</parameters></tool_code>

- Use one of the tools below, with its exact name. One tool in a reply.
- The parameters are one JSON object.
- Never write an observation yourself.

When you know enough, write what you found, then:
<final_answer>the answer to the task</final_answer>
`;

/** The same where no tool is offered. */
export const xmlTemplateWithoutTools = `You work on a task. There are no tools: answer from what you are given and what you know.

Write how you come to the answer, then:
<final_answer>the answer to the task</final_answer>
`;
