/** The topic of the worked example's question, also used as an argument of its sample call. */
export const exampleSubject = 'invoice';

/** The question of the worked example. It states that it is not part of the conversation. */
export const exampleTaskTemplate = `An example of the form, which is not part of this task: What is there to know about "${exampleSubject}"?
`;

/** Returns the thought before the example's call. */
export const exampleThought = (tool: string): string =>
  `I need to know more about "${exampleSubject}", so I use ${tool}.`;

/** Separates the example from the conversation. */
export const exampleEndTemplate = `End of the example. Now the task:
`;
