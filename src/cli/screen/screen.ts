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
import { printableJson, showExactLine, showText } from './shown-text.js';
import type { Terminal } from './terminal.js';

/** Shows a run to a person while it happens; for a script, the answer alone goes to stdout. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #starting: Spinner;
  readonly #options: Omit<RenderOptions, 'width'>;
  readonly #flags: Pick<RunFlags, 'json' | 'verbose'>;
  /** Where lines can be drawn over, once what that takes is loaded. */
  #live: LiveRun | undefined;
  #showsTasks = true;
  readonly #shown = new AlreadyShown();
  /** The newest run. */
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

  /** True where a person reads it as it comes. */
  get #isRead(): boolean {
    return this.#terminal.progress.isTTY === true && !this.#flags.json;
  }

  /** The newest full report, for `/context`. */
  get report(): ContextReport | null {
    return this.#run.report;
  }

  /** Loads what draws a run: it takes longer than all the rest, so a person sees something before. */
  async prepare({ showsTasks }: { showsTasks: boolean }): Promise<void> {
    const { display } = this.#terminal;
    if (!this.#isRead) return;
    this.#showsTasks = showsTasks;
    await loadWidths();
    if (!display.isLive) return;
    const { MarkdownStream } = await import('./markdown/markdown-stream.js');
    this.#live = new LiveRun(display, { ...this.#options, showsTasks }, (view) => new MarkdownStream(view));
  }

  /** The first line: what this is, what answers, where, and how to get help. */
  introduce({ name, upstream }: ModelChoice, folder: string): void {
    if (!this.#isRead) return;
    const { paint } = this.#terminal;
    const home = folder.startsWith(`${homedir()}/`) ? `~${folder.slice(homedir().length)}` : folder;
    const facts = [version, upstream ? `${name} at ${upstream}` : name, home, '/help for help'];
    const line = `${paint('bold', 'stepwise')} ${facts.map(showExactLine).join(paint('dim', ' · '))}`;
    this.print(this.#showsTasks ? line : `${line}\n`);
  }

  /** With `--json` the events themselves, one a line on stdout, and nothing else there. */
  show(event: RunEvent): void {
    const { report } = this.#run;
    const before = event.type === 'agent_start' ? { ...emptyRun(), report } : this.#run;
    this.#run = reduceRun(before, event);
    if (this.#flags.json) process.stdout.write(`${printableJson(event)}\n`);
    else if (this.#live) this.#live.show(this.#shown.withoutAgreed(event), { before, after: this.#run });
    else this.#printEvent(this.#shown.onlyNew(event));
  }

  #printEvent(event: RunEvent): void {
    if (event.type === 'agent_start' && !this.#showsTasks) return;
    const lines = renderEvent(event, { ...this.#options, width: this.#terminal.width });
    if (lines.length > 0) this.print(lines.join('\n'));
  }

  /** Writes whole lines, above what is live, broken to the window where there is one. */
  print(text: string): void {
    this.#terminal.display.print(wrap(text, this.#wrapWidth).join('\n'));
  }

  get #wrapWidth(): number {
    return this.#terminal.progress.isTTY ? this.#terminal.width : Number.POSITIVE_INFINITY;
  }

  /** For a script: the answer, alone on stdout. A person has seen it by now. */
  tellScript(answer: string): void {
    if (!this.#flags.json && !this.#options.showAnswer) process.stdout.write(`${showText(answer)}\n`);
  }

  /** The first that is seen where there is much to load; `hold` ends it. */
  begin(): void {
    if (!this.#flags.json) this.#starting.start('Starting', 'ctrl-c to leave');
  }

  /** The person was asked about this call: its result need not say again what it changed. */
  keepAgreed(request: ApprovalRequest): void {
    this.#shown.keep(request);
  }

  /** Nothing moves while a person is asked. */
  hold(): void {
    this.#starting.stop();
    this.#live?.spinner.stop();
  }
}
