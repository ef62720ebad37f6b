/** What the worked example asks about: its question names it, and so does its call. */
export const exampleSubject = 'invoice';

/** The question of the worked example, said to be none of this conversation's. */
export const exampleTaskTemplate = `An example of the form, which is not part of this task: What is there to know about "${exampleSubject}"?
`;

/** Why the example's tool is used. */
export const exampleThought = (tool: string): string =>
  `I need to know more about "${exampleSubject}", so I use ${tool}.`;

/** Between the example and what is meant. */
export const exampleEndTemplate = `End of the example. Now the task:
`;
