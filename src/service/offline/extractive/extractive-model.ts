import { nextStep } from './next-step.js';
import { type Message, readPrompt } from './read-prompt.js';
import { writeReply } from './write-reply.js';

/**
 * The model `offline` (SPEC §15): no language model, but an extractive searcher. From the messages alone it picks
 * search terms, asks for an offered search tool, then for the best files, and answers by quoting the lines it found.
 * Pure: the same messages give the same reply.
 */
export function extractiveReply(messages: readonly Message[]): string {
  const prompt = readPrompt(messages);
  return writeReply(nextStep(prompt), prompt);
}
