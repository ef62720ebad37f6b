import { homedir } from 'node:os';
import type { ContextReport } from '../../contract/context-report.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { RunEvent } from '../../sdk/run/run-events.js';
import { reduceRun } from '../../sdk/view/reduce-run.js';
import { emptyRun, type RunView } from '../../sdk/view/run-view.js';
import { version } from '../../service/version.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { loadWidths } from '../display/columns.js';
import { wrap } from '../display/wrap.js';
import type { ModelChoice } from '../session/choose-model.js';
import { AlreadyShown } from './already-shown.js';
import { LiveRun } from './live/live-run.js';
import { Spinner } from './live/spinner.js';
import { type RenderOptions, renderEvent } from './render-event.js';
import type { Terminal } from './terminal.js';
import { printableJson, showExactLine, showText } from './visible-text.js';

/** Shows a run while it happens. For scripts, stdout gets only the answer. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #starting: Spinner;
  readonly #options: Omit<RenderOptions, 'width'>;
  readonly #flags: Pick<RunFlags, 'json' | 'verbose'>;
  /** The live view, if the terminal supports it; set after its modules are loaded. */
  #live: LiveRun | undefined;
  #showsTasks = true;
  readonly #shown = new AlreadyShown();
  #run: RunView = emptyRun();

  constructor(terminal: Terminal, flags: Pick<RunFlags, 'json' | 'verbose' | 'yes'>) {
    const { verbose, yes } = flags;
    this.#flags = flags;
    this.#terminal = terminal;
    this.#starting = new Spinner(terminal.display);
    this.#options = {
      paint: terminal.paint,
      maxLines: verbose ? Number.POSITIVE_INFINITY : 8,
      verbose,
      showAnswer: process.stdout.isTTY === true,
      showProposals: !terminal.isInteractive && !yes,
    };
  }

  /** True if a person reads the progress on a terminal. */
  get #isWatched(): boolean {
    return this.#terminal.progress.isTTY === true && !this.#flags.json;
  }

  /** The newest context report, for `/context`. */
  get report(): ContextReport | null {
    return this.#run.report;
  }

  /**
   * Loads the modules that draw a run. This takes longer than the rest of the startup, so the first line is printed
   * before.
   */
  async prepare({ showsTasks }: { showsTasks: boolean }): Promise<void> {
    const { display } = this.#terminal;
    if (!this.#isWatched) return;
    this.#showsTasks = showsTasks;
    await loadWidths();
    if (!display.isLive) return;
    const { MarkdownStream } = await import('./markdown/markdown-stream.js');
    this.#live = new LiveRun(display, { ...this.#options, showsTasks }, (view) => new MarkdownStream(view));
  }

  /** Prints the first line: version, model, folder, and how to get help. */
  introduce({ name, upstream }: ModelChoice, folder: string): void {
    if (!this.#isWatched) return;
    const { paint } = this.#terminal;
    const home = folder.startsWith(`${homedir()}/`) ? `~${folder.slice(homedir().length)}` : folder;
    const facts = [version, upstream ? `${name} at ${upstream}` : name, home, '/help for help'];
    const line = `${paint('bold', 'stepwise')} ${facts.map(showExactLine).join(paint('dim', ' · '))}`;
    this.print(this.#showsTasks ? line : `${line}\n`);
  }

  /** Shows an event. With `--json`, prints events to stdout as JSON lines and nothing else. */
  show(event: RunEvent): void {
    const { report } = this.#run;
    const before = event.type === 'agent_start' ? { ...emptyRun(), report } : this.#run;
    this.#run = reduceRun(before, event);
    if (this.#flags.json) process.stdout.write(`${printableJson(event)}\n`);
    else if (this.#live) this.#live.show(this.#shown.withoutApproved(event), { before, after: this.#run });
    else this.#printEvent(this.#shown.onlyNew(event), before);
  }

  #printEvent(event: RunEvent, before: RunView): void {
    if (event.type === 'agent_start' && !this.#showsTasks) return;
    const lines = renderEvent(event, { ...this.#options, width: this.#terminal.width }, before);
    if (lines.length > 0) this.print(lines.join('\n'));
  }

  /** Prints lines above the live region, wrapped to the window on a terminal. */
  print(text: string): void {
    this.#terminal.display.print(wrap(text, this.#wrapWidth).join('\n'));
  }

  get #wrapWidth(): number {
    return this.#terminal.progress.isTTY ? this.#terminal.width : Number.POSITIVE_INFINITY;
  }

  /** Prints the answer to stdout for scripts. On a terminal the answer is already visible. */
  printForScript(answer: string | null): void {
    if (answer === null || this.#flags.json || this.#options.showAnswer) return;
    process.stdout.write(`${showText(answer)}\n`);
  }

  /** Shows that the program is starting; `hold` ends it. */
  begin(): void {
    if (!this.#flags.json) this.#starting.start('Starting', 'ctrl-c to leave');
  }

  /** Records that the person saw this change, so that the result does not repeat it. */
  recordApproved(request: ApprovalRequest): void {
    this.#shown.record(request);
  }

  /** Stops the spinners while the person is asked. */
  hold(): void {
    this.#starting.stop();
    this.#live?.spinner.stop();
  }
}
