import type { ReportFolder, ReportItem, ReportSection } from '../../contract/context-report.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { turnsOf } from '../../conversation/units.js';
import type { TokenCounter } from '../tokens/token-counter.js';
import { type CutUnit, type FitInputs, shareOut } from './budget/share-history.js';
import { type Fold, type Form, foldHistory } from './history/fold-history.js';
import { advise } from './history/signals.js';
import { type Scale, tokensOfMessage } from './history/weigh.js';
import { renderInstructions, renderTools } from './prompt/instructions.js';
import { type RenderedPrompt, renderPrompt } from './prompt/render-prompt.js';
import { buildTail, smallestTail } from './prompt/tail.js';
import { openingTemplate } from './prompt/templates/shared.js';
import type { Message } from './provider.js';
import type { Situation } from './read-situation.js';

/** A prompt inside the budget, and what it took. All numbers are tokens. */
export interface FittedPrompt extends RenderedPrompt {
  readonly sections: Readonly<Record<ReportSection['name'], number>>;
  readonly promptTokens: number;
  /** A row for everything that was asked for. */
  readonly items: readonly ReportItem[];
  readonly folders: readonly ReportFolder[];
  /** Four fifths of the history's share are used before anything is cut. */
  readonly shouldCompact: boolean;
}

const COMPACT_SHARE = 0.8;

/** Native tool schemas are counted as JSON, times this: vendors render them in forms of their own. */
const NATIVE_SCHEMA_MARGIN = 1.3;

/** Chooses what the model sees (SPEC §5). Throws `StepRefused` where even the least does not fit. */
export async function fitPrompt(inputs: FitInputs): Promise<FittedPrompt> {
  const { request, situation, profile, tokens } = inputs;
  const scale: Scale = { tokens, framing: profile.framing, protocol: situation.protocol };
  const instructions = renderInstructions(request, situation.protocol);
  const tools = renderTools(request, situation.protocol);
  const taught = await tokens.count(instructions);
  const fixed = {
    instructions: taught,
    tools:
      (await tokens.countJoined([instructions, tools])) -
      taught +
      (await countNativeTools(situation, tokens)),
    framing: await fixedFraming(scale),
    smallestTail: await smallestTail(request, tokens),
  };
  const { budget, context, history, units } = await shareOut(inputs, fixed, scale);
  const fold = foldHistory(units, history);
  const tail = await buildTail(
    {
      phase: request.phase,
      mustAnswer: situation.mustAnswer,
      tasks: request.tasks ?? [],
      focus: context.focus,
      advice: advise(situation.signals),
    },
    budget.tail,
    tokens,
  );
  const rendered = renderPrompt({
    system: instructions + tools,
    context: context.blocks,
    history: units.flatMap((unit, index) => messagesOf(unit, fold.forms[index])),
    tail: tail.text,
  });
  const { messages } = rendered.prompt;
  const framing = profile.framing.prompt + (messages.length + 1) * profile.framing.message;
  const said = (await countMessages(messages, scale)) - messages.length * profile.framing.message;
  return {
    ...rendered,
    sections: {
      instructions: fixed.instructions,
      tools: fixed.tools,
      context: context.tokens,
      history: said - context.tokens - tail.tokens,
      tail: tail.tokens,
      framing,
    },
    promptTokens: fixed.instructions + fixed.tools + said + framing,
    items: [...context.items, ...tail.items, ...turnItems(units, fold)],
    folders: context.folders,
    shouldCompact: units.reduce((sum, { full }) => sum + full, 0) >= history * COMPACT_SHARE,
  };
}

async function countMessages(messages: readonly Message[], scale: Scale): Promise<number> {
  const counts = await Promise.all(messages.map((message) => tokensOfMessage(message, scale)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The system message, one for the context or the opening, and one for a tail behind an assistant message. */
async function fixedFraming({ tokens, framing }: Scale): Promise<number> {
  return framing.prompt + 3 * framing.message + (await tokens.count(openingTemplate));
}

async function countNativeTools({ protocol, tools }: Situation, tokens: TokenCounter): Promise<number> {
  if (protocol !== 'native') return 0;
  const schema = ({ name, description, inputSchema }: ToolDefinition) => ({ name, description, inputSchema });
  return Math.ceil((await tokens.count(JSON.stringify(tools.map(schema)))) * NATIVE_SCHEMA_MARGIN);
}

function messagesOf({ messages, maskedMessages = messages }: CutUnit, form: Form | undefined) {
  if (form === 'dropped') return [];
  return form === 'masked' ? maskedMessages : messages;
}

function turnItems(units: readonly CutUnit[], fold: Fold): ReportItem[] {
  return units.map((weighed, index) => {
    const form = fold.forms[index] ?? 'full';
    const isCut = weighed.full < weighed.original;
    return {
      kind: 'turn',
      id: turnsOf(weighed.unit).join('+'),
      status: form === 'full' ? (isCut ? 'truncated' : 'included') : form,
      tokens: form === 'dropped' ? 0 : weighed[form],
      original_tokens: weighed.original,
      lines: null,
      reason:
        form === 'full'
          ? isCut
            ? 'one text took more than its part of the history'
            : null
          : 'the history outgrew its share',
    };
  });
}
