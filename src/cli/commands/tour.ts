import { setTimeout as wait } from 'node:timers/promises';
import { reasonOfDenial } from '../../sdk/run/clear-actions.js';
import type { RunEvent } from '../../sdk/run/run-events.js';
import { replayRun } from '../../sdk/saved/replay-run.js';
import { reduceRun } from '../../sdk/view/reduce-run.js';
import { emptyRun } from '../../sdk/view/run-view.js';
import { loadWidths } from '../display/columns.js';
import { Display } from '../display/display.js';
import { paintFor } from '../display/paint.js';
import { wrap } from '../display/wrap.js';
import { Keyboard } from '../input/keyboard.js';
import { itemLine, leftOutItems } from '../screen/context-page.js';
import { renderEvent } from '../screen/render-event.js';
import { showTextLine } from '../screen/visible-text.js';
import { readSavedRun } from '../state/saved-runs.js';

/** The recorded runs in their order; the second follows up on the first. */
const FILES = ['examples/tour/change.json', 'examples/tour/follow-up.json'];

/**
 * Pause after an event of each type, so that a person can read what was printed. There is no pause after other events.
 */
const READING_MS: Partial<Record<RunEvent['type'], number>> = {
  agent_start: 1_500,
  agent_reason: 1_500,
  approval_requested: 1_200,
  tool_complete: 1_200,
  tool_error: 2_000,
  agent_completion: 2_500,
};

/**
 * Plays the recorded runs of the tour. On a terminal it pauses so that a person can read: Space ends a pause, Q ends the
 * tour. Without a terminal it prints everything at once. Rejects with `UsageError` if the files are missing.
 */
export async function showTour(): Promise<void> {
  const runs = await Promise.all(FILES.map(readSavedRun));
  const screen = new TourScreen();
  const pauses = new Pauses();
  await loadWidths();
  screen.print(introduction(screen, pauses.areOn));
  try {
    for (const saved of runs) {
      screen.begin();
      for await (const event of replayRun(saved)) {
        screen.show(event);
        await pauses.pause(READING_MS[event.type] ?? 0);
        if (pauses.isOver) break;
      }
      if (pauses.isOver) break;
    }
  } finally {
    pauses.end();
  }
  screen.print(nextSteps(screen));
}

/**
 * Makes the pauses between events, if a person reads them on a terminal and can press keys. Otherwise there are none.
 */
class Pauses {
  readonly areOn = process.stdin.isTTY === true && process.stdout.isTTY === true;
  #current = new AbortController();
  #isOver = false;
  readonly #keys = this.areOn
    ? new Keyboard(process.stdin, { mark: () => undefined }).listen({ onKey: (key) => this.#onKey(key) })
    : undefined;

  /** True after the person ended the tour. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async pause(milliseconds: number): Promise<void> {
    if (!this.areOn || this.#isOver || milliseconds === 0) return;
    this.#current = new AbortController();
    await wait(milliseconds, undefined, { signal: this.#current.signal }).catch(() => undefined);
  }

  /** Stops listening to the keyboard. */
  end(): void {
    this.#keys?.end();
  }

  #onKey({ name, text }: { readonly name: string; readonly text: string }): void {
    if (text === 'q' || text === 'Q' || ['escape', 'ctrl-c', 'ctrl-d', 'closed'].includes(name))
      this.#isOver = true;
    this.#current.abort();
  }
}

/** Explanations, each printed once, after the first event that shows what it explains. */
const NOTES: readonly { readonly of: (event: RunEvent) => boolean; readonly text: string }[] = [
  {
    of: (event) => event.type === 'agent_reason' && hasLeftOut(event),
    text: 'Each step reports what did not fit into its prompt, and why. The model and you can act on it.',
  },
  {
    of: ({ type }) => type === 'tasks_updated',
    text: 'The model keeps a TODO list; the client shows it and sends it with the next step.',
  },
  {
    of: ({ type }) => type === 'approval_requested',
    text: 'The model only proposes. Your program asks a person before anything changes.',
  },
  {
    of: (event) => event.type === 'tool_error' && event.denied,
    text: 'A refusal is not an error: the model reads the reason, and the run continues.',
  },
];

/** Prints events as the demo does, and also the person's decisions and the items that were left out of the prompt. */
class TourScreen {
  readonly paint = paintFor(process.stdout);
  readonly #display = new Display(process.stdout, { paint: this.paint });
  readonly #explained = new Set<string>();
  #view = emptyRun();
  #isAsking = false;
  #leftOut = '';

  print(lines: readonly string[]): void {
    const columns = process.stdout.isTTY ? this.#display.width : Number.POSITIVE_INFINITY;
    if (lines.length > 0) this.#display.print(wrap(lines.join('\n'), columns).join('\n'));
  }

  /** Resets the state for the next run. Before a second run, prints that it is a follow-up. */
  begin(): void {
    if (this.#view.steps.length > 0)
      this.print([
        '',
        this.paint('cyan', '▸ A follow-up: the person asks again, and the run continues from its history.'),
      ]);
    this.#view = emptyRun();
    this.#leftOut = '';
  }

  show(event: RunEvent): void {
    const before = this.#view;
    this.#view = reduceRun(before, event);
    const { paint } = this;
    const options = {
      paint,
      maxLines: 16,
      width: this.#display.width,
      verbose: false,
      showAnswer: true,
      showProposals: true,
    };
    this.print([...(this.#decision(event) ?? renderEvent(event, options, before)), ...this.#items(event)]);
    for (const { of, text } of NOTES) {
      if (this.#explained.has(text) || !of(event)) continue;
      this.#explained.add(text);
      this.print([paint('cyan', `▸ ${text}`)]);
    }
  }

  /**
   * Returns a line that shows the person's decision about the previous question; undefined if no question precedes the
   * event. A saved run does not contain the decision, so it is inferred from the event. The question has already shown
   * the call.
   */
  #decision(event: RunEvent): readonly string[] | undefined {
    const wasAsking = this.#isAsking;
    this.#isAsking = event.type === 'approval_requested';
    if (!wasAsking) return undefined;
    const decision =
      event.type === 'tool_error' ? `denied it: ${showTextLine(reasonOfDenial(event.error))}` : 'allowed it';
    return [`${this.paint('yellow', 'Person'.padEnd(12))}${decision}`];
  }

  /**
   * Returns lines for the items that a prompt left out or cut. Returns none if the same lines were printed for the
   * previous prompt.
   */
  #items(event: RunEvent): readonly string[] {
    if (event.type !== 'agent_reason' || !event.response?.context_report) return [];
    const lines = leftOutItems(event.response.context_report).map((item) => itemLine(item).trim());
    const text = lines.join('\n');
    if (text === this.#leftOut) return [];
    this.#leftOut = text;
    return lines.map(
      (line, index) => `${this.paint('yellow', (index === 0 ? 'Left out' : '').padEnd(12))}${line}`,
    );
  }
}

const hasLeftOut = ({ response }: Extract<RunEvent, { type: 'agent_reason' }>): boolean =>
  (response?.context_report ? leftOutItems(response.context_report) : []).length > 0;

function introduction({ paint }: TourScreen, hasPauses: boolean): readonly string[] {
  return [
    `${paint('bold', 'A recorded run of Stepwise')} on the example project examples/shop.`,
    paint(
      'dim',
      "The model's replies and the person's decisions are a script. The service, the prompts, the edits and the tests were real. Nothing runs now.",
    ),
    ...(hasPauses ? [paint('dim', 'Space: next · Q: quit')] : []),
  ];
}

function nextSteps({ paint }: TourScreen): readonly string[] {
  const line = (command: string, text: string) => `  ${paint('bold', command.padEnd(16))}${text}`;
  return [
    '',
    `${paint('bold', 'This was a recording.')} To go on:`,
    line('npm start', 'open the playground: this run in every detail, and runs of your own beside it'),
    line('npm run demo', 'watch a live run without a key; it only searches and quotes'),
    '  OPENAI_API_KEY=… npm run demo -- "Explain the checkout" --model gpt-4o',
    '  Getting started with your own program: docs/getting-started.md',
  ];
}
