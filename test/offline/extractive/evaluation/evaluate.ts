import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectInstructions } from '../../../../src/cli/context/project-instructions.js';
import { startLocalService } from '../../../../src/cli/session/local-service.js';
import { DEFAULT_TOKEN_LIMIT } from '../../../../src/cli/session/session.js';
import type { Tool } from '../../../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../../../src/sdk/client/stepwise-client.js';
import { ProjectRoot } from '../../../../src/tools/project-root.js';
import { createToolPack } from '../../../../src/tools/tool-pack.js';
import { type QuotedLine, quotedLines } from '../../../support/quoted-lines.js';
import type { Place, Question } from './questions.js';

/**
 * The imaginary project that `lanternQuestions` are about. It is fixed, so that edits of this repository change no
 * figure.
 */
export const LANTERN_FOLDER = 'test/offline/extractive/evaluation/lantern';

/** The judgement of one run. */
export interface Verdict {
  readonly ask: string;
  readonly words: Question['words'];
  /** True if the answer quotes an expected file; for an absent topic, true if the answer quotes nothing. */
  readonly isRightFile: boolean;
  /** True if the answer quotes an expected line; for an absent topic, true if it reports that nothing was found. */
  readonly areRightLines: boolean;
  /** True if a quoted line differs from the file, or if the answer quotes lines for an absent topic. */
  readonly isFalse: boolean;
  readonly steps: number;
  readonly cpuMs: number;
  readonly answer: string;
}

/** Asks each question in a separate run with the terminal's service, tools, limits and instructions. */
export async function evaluate(folder: string, questions: readonly Question[]): Promise<Verdict[]> {
  const service = await startLocalService({});
  const client = new StepwiseClient({ baseUrl: service.url });
  const tools = await createToolPack(folder);
  const project = await readProjectInstructions(await ProjectRoot.open(folder), DEFAULT_TOKEN_LIMIT);
  const verdicts: Verdict[] = [];
  try {
    for (const question of questions) {
      const before = process.cpuUsage();
      const run = await ask(client, question.ask, { tools, instructions: project?.text });
      const { user, system } = process.cpuUsage(before);
      verdicts.push({ ...judge(question, run.answer, folder), ...run, cpuMs: (user + system) / 1_000 });
    }
  } finally {
    await service.close();
  }
  return verdicts;
}

async function ask(
  client: StepwiseClient,
  question: string,
  setting: { readonly tools: readonly Tool[]; readonly instructions: string | undefined },
): Promise<Pick<Verdict, 'steps' | 'answer'>> {
  const run = client.run(question, {
    ...setting,
    llmConfig: {
      modelName: 'offline',
      tokenLimit: DEFAULT_TOKEN_LIMIT,
      reservedOutputTokens: DEFAULT_TOKEN_LIMIT / 8,
    },
    compaction: { strategy: 'mask' },
    approve: async () => ({ type: 'deny', reason: 'not approved in an evaluation' }),
  });
  const { answer, steps } = await run.result();
  return { answer: answer ?? '', steps: steps.length };
}

function judge({ ask, words, places }: Question, answer: string, folder: string) {
  const quotes = quotedLines(answer);
  // The service escapes possible chat tokens (rule: fences), so quotes contain the escaped form.
  const areQuotesExact = quotes.every(({ path, line, text }) =>
    isQuoteOf(text.replaceAll('<\\|', '<|'), lineOf(join(folder, path), line)),
  );
  const isAbsent = words === 'absent';
  return {
    ask,
    words,
    isRightFile: isAbsent
      ? quotes.length === 0
      : quotes.some(({ path }) => places.some((place) => place.path === path)),
    areRightLines: isAbsent
      ? /^I found nothing/.test(answer)
      : quotes.some((quote) => places.some((place) => isAt(place, quote))),
    isFalse: !areQuotesExact || (isAbsent && quotes.length > 0),
  };
}

/** Returns whether a quote is the whole line or, with an ellipsis at its cut ends, a part of it. */
const isQuoteOf = (quote: string, line: string): boolean =>
  quote === line.trimEnd() || (line.length > 160 && line.includes(quote.replace(/^…|…$/g, '')));

const isAt = ({ path, anchor }: Place, quote: QuotedLine): boolean =>
  quote.path === path && quote.text.includes(anchor);

const lineOf = (file: string, line: number): string => readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';
