import type { ContextReport } from '../../contract/context-report.js';
import type { RunEvent } from '../../sdk/run/run-events.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { type RenderOptions, renderEvent } from './render-event.js';
import { printableJson, showExactLine, showText } from './shown-text.js';
import { Spinner } from './spinner.js';
import type { Terminal } from './terminal.js';

/** Shows a run to a person while it happens; for a script, the answer alone goes to stdout. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #spinner: Spinner;
  readonly #options: Omit<RenderOptions, 'width'>;
  readonly #flags: Pick<RunFlags, 'json' | 'verbose'>;
  /** The newest full report, for `/context`. */
  report: ContextReport | null = null;

  constructor(terminal: Terminal, flags: Pick<RunFlags, 'json' | 'verbose' | 'yes'>) {
    const { verbose, yes } = flags;
    this.#flags = flags;
    this.#terminal = terminal;
    this.#spinner = new Spinner(terminal);
    this.#options = {
      paint: terminal.paint,
      maxLines: verbose ? Number.POSITIVE_INFINITY : 8,
      verbose,
      showAnswer: process.stdout.isTTY === true,
      showProposals: !terminal.isInteractive && !yes,
    };
  }

  /** With `--json` the events themselves, one a line on stdout, and nothing else there. */
  show(event: RunEvent): void {
    if (this.#flags.json) process.stdout.write(`${printableJson(event)}\n`);
    else this.#draw(event);
  }

  #draw(event: RunEvent): void {
    if ('response' in event) this.report = event.response?.context_report ?? this.report;
    const lines = renderEvent(event, { ...this.#options, width: this.#terminal.width });
    if (lines.length > 0) this.print(lines.join('\n'));
    this.#follow(event);
  }

  /** Writes whole lines, above the spinner where it turns. */
  print(text: string): void {
    this.#spinner.above(() => this.#terminal.progress.write(`${text}\n`));
  }

  /** For a script: the answer, alone on stdout. A person has seen it by now. */
  tellScript(answer: string): void {
    if (!this.#flags.json && !this.#options.showAnswer) process.stdout.write(`${showText(answer)}\n`);
  }

  /** The first that is seen where there is much to load; `hold` ends it. */
  begin(): void {
    if (!this.#flags.json) this.#spinner.start('Starting', 'ctrl-c to leave');
  }

  /** Nothing moves while a person is asked. */
  hold(): void {
    this.#spinner.stop();
  }

  #follow(event: RunEvent): void {
    if (event.type === 'agent_turn_start') this.#spinner.start('Thinking');
    else if (event.type === 'tool_start') this.#spinner.start(`Running ${showExactLine(event.tool_name)}`);
    else if (event.type === 'thought_delta' || event.type === 'answer_delta')
      this.#spinner.tell(event.delta, event.type);
    else if (event.type !== 'tool_complete' && event.type !== 'tool_error') this.#spinner.stop();
  }
}
