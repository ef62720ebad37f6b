/** Instructions where the provider's own tool calling is used (SPEC §6): its schema teaches the rest. */
export const nativeTemplate = `You work on a task step by step. Before you call a tool, say in a sentence or two why. Someone else runs the call and shows you what it returned. When you know enough, answer the task without calling a tool.
`;
