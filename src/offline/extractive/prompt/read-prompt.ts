import { isAnswer, readCalls, type WrittenCall } from './read-calls.js';
import { type OfferedTool, readTools } from './read-tools.js';
import { type FencedBlock, type MessageSegment, splitBlocks } from './split-blocks.js';

/** A chat message; the content is a string or a list of parts with `text`. */
export interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The contents of a prompt that decide about the searcher's next step. */
export interface ParsedPrompt {
  readonly task: string;
  readonly tools: readonly OfferedTool[];
  /** The calls since the task was given, each with its observation. */
  readonly calls: readonly PastCall[];
  readonly contextFiles: readonly ContextFile[];
  /** True if the last message forbids further actions. */
  readonly mustAnswer: boolean;
  /** Reply format that the system text describes; `plain` if it describes none and lists no tools. */
  readonly form: 'text' | 'xml' | 'json' | 'plain';
  /**
   * The phase, in strict mode. `reason` and `observe` require a JSON block; `act` requires the usual reply format, as
   * do runs without phases.
   */
  readonly phase: 'reason' | 'act' | 'observe';
}

export interface PastCall extends WrittenCall {
  readonly observation: string;
}

interface ContextFile {
  readonly path: string;
  readonly firstLine: number;
  readonly content: string;
}

/** Reads a prompt leniently. Text inside fences is data; text outside is written by the user or the service. */
export function readPrompt(messages: readonly ChatMessage[]): ParsedPrompt {
  const system = messages.filter(isSystem).map(textOf).join('\n\n');
  const turns = messages.filter((message) => !isSystem(message)).map(cutAtFences);
  const tail = spoken(turns.at(-1)?.segments ?? []);
  const tools = readTools(system);
  return {
    ...readTurns(turns),
    tools,
    contextFiles: turns.filter(({ role }) => role === 'user').flatMap(({ segments }) => readFiles(segments)),
    mustAnswer: tail.split(/\n\s*\n/u).some(isUrge),
    form: formOf(system) ?? (tools.length > 0 ? 'text' : 'plain'),
    phase: phaseOf(tail),
  };
}

/** Returns the reply format that the system text describes; undefined if it describes none. */
function formOf(system: string): ParsedPrompt['form'] | undefined {
  if (/^[ \t]*(?:Action|Final Answer):/mu.test(system)) return 'text';
  if (/<tool_code>|<final_answer>/u.test(system)) return 'xml';
  return /^\{"thought": /mu.test(system) ? 'json' : undefined;
}

/** Matches the service's instructions to answer now, which are not part of the task. */
const urges =
  /\b(?:must|have to|should|need to|please)\b[^.\n]{0,80}\banswer\b[^.\n]{0,80}\bnow\b|\banswer now\b|\blast (?:iteration|step)\b|\bno (?:more|further) (?:tools?|actions?|calls?|iterations?|steps?)\b/iu;

/**
 * Returns whether a paragraph is an instruction to answer now. A paragraph of more than 2,000 characters never is
 * one.
 */
const isUrge = (paragraph: string): boolean => paragraph.length <= 2000 && urges.test(paragraph);

/** Matches the beginnings of other paragraphs that the service adds to the task. */
const asides =
  /^(?:continue\.?$|observation\b|advice:|context\b|the (?:following|files?)\b|current (?:file|focus)\b)/iu;

function phaseOf(tail: string): ParsedPrompt['phase'] {
  if (/\btools_to_consider\b/u.test(tail)) return 'reason';
  return /\bshould_continue\b/u.test(tail) ? 'observe' : 'act';
}

/** A message of the conversation, split into fenced blocks and the text between them. */
interface CutMessage extends ChatMessage {
  readonly segments: readonly MessageSegment[];
}

const cutAtFences = (message: ChatMessage): CutMessage => ({
  ...message,
  segments: partsOf(message.content).flatMap(splitBlocks),
});

/**
 * Finds the current task and the calls made for it. An answer ends a task, and the next text of the user is the
 * next task.
 */
function readTurns(turns: readonly CutMessage[]): { task: string; calls: PastCall[] } {
  let task = '';
  let calls: PastCall[] = [];
  let open: WrittenCall[] = [];
  let settled = true;
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      const text = textOf(turn);
      for (const call of readCalls(text)) open.push(call);
      settled = isAnswer(text);
      continue;
    }
    const { segments } = turn;
    for (const call of observe(open, segments)) calls.push(call);
    open = [];
    const nextTask = taskIn(segments);
    if (settled && nextTask) {
      task = nextTask;
      calls = [];
      settled = false;
    }
  }
  return { task, calls };
}

/** Pairs calls with the observations in the next message. A call that has no observation was not run. */
function observe(open: readonly WrittenCall[], segments: readonly MessageSegment[]): PastCall[] {
  const fenced = segments.flatMap((each) =>
    each.kind === 'block' && isObservation(each.block) ? [each.block.content] : [],
  );
  const observations = fenced.length > 0 ? fenced : [spoken(segments).replace(/^\s*Observation:\s*/iu, '')];
  return open.map((call, index) => ({ ...call, observation: observations[index] ?? '' }));
}

const isObservation = ({ name }: FencedBlock): boolean => /observation|result|output/u.test(name);

/**
 * Returns the task: the content of a block such as `<task>`; without one, the text after the files. Leaves out the
 * service's own instructions.
 */
function taskIn(segments: readonly MessageSegment[]): string {
  const named = segments.find(
    (each) => each.kind === 'block' && /^(?:task|query|user_query|question)$/u.test(each.block.name),
  );
  if (named?.kind === 'block') return named.block.content.trim();
  const lastFile = segments.findLastIndex((each) => each.kind === 'block' && isFile(each.block));
  const after = paragraphs(segments.slice(lastFile + 1));
  return (after.length > 0 ? after : paragraphs(segments)).join('\n\n');
}

/** Matches a strict phase's instruction, which follows the task and ends the message (rule: phases). */
const phaseOrder = /^Phase: (?:reason|act|observe)\. [\s\S]*$/mu;

/** Returns whether a line is the service's advice or instruction, which follows the task directly (rule: tail). */
const isOrder = (line: string): boolean => /^note: /iu.test(line) || isUrge(line);

const paragraphs = (segments: readonly MessageSegment[]): string[] =>
  linesOfTask(spoken(segments).replace(phaseOrder, ''))
    .split(/\n\s*\n/u)
    .map((each) => each.trim())
    .filter((each) => each !== '' && !asides.test(each));

const linesOfTask = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !isOrder(line))
    .join('\n');

const spoken = (segments: readonly MessageSegment[]): string =>
  segments.flatMap((each) => (each.kind === 'text' ? [each.text] : [])).join('\n\n');

const isFile = ({ attributes }: FencedBlock): boolean => pathOf(attributes) !== undefined;

const pathOf = (attributes: Readonly<Record<string, string>>): string | undefined =>
  attributes['path'] ?? attributes['file'] ?? attributes['filename'];

/** A folder's names are no passage of a file, so the searcher must not quote them. */
const isListing = ({ name }: FencedBlock): boolean => name === 'folder';

/** Reads the files that are in fences, also inside a block that only groups other blocks. */
function readFiles(segments: readonly MessageSegment[], levels = 2): ContextFile[] {
  return segments.flatMap((segment) => {
    if (segment.kind === 'text' || isObservation(segment.block) || isListing(segment.block)) return [];
    const { attributes, content } = segment.block;
    const path = pathOf(attributes);
    if (path === undefined) return levels > 1 ? readFiles(splitBlocks(content), levels - 1) : [];
    const firstLine = Number(/\d+/u.exec(attributes['lines'] ?? attributes['start_line'] ?? '1')?.[0] ?? 1);
    return [{ path, content, firstLine }];
  });
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

const textOf = ({ content }: ChatMessage): string => partsOf(content).join('\n\n');

function partsOf(content: unknown): string[] {
  if (typeof content === 'string') return [endsOf(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    const text = Object.entries(part ?? {}).find(([name]) => name === 'text')?.[1];
    return typeof text === 'string' ? [endsOf(text)] : [];
  });
}

/**
 * Maximum length of a text that is read completely. Of a longer text, half of this length is read at each end,
 * because the text's lines and words take far more memory than the text.
 */
const MAX_CHARACTERS = 524_288;

const endsOf = (text: string): string =>
  text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS / 2)}\n${text.slice(-MAX_CHARACTERS / 2)}`;
