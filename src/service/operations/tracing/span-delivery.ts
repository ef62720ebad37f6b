import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** The callback that an exporter calls when an export has ended. */
type Done = Parameters<SpanExporter['export']>[1];
const SUCCESS = 0;

/**
 * Counts the spans that are lost because the collector fails, or because it is so slow that too many spans wait. The
 * log reports the beginning of such a loss, and at its end the number of lost spans (rule: span-delivery).
 */
export class SpanDelivery {
  readonly #log: Logger;
  readonly #maxWaiting: number;
  #waiting = 0;
  #exporting = 0;
  #lost = 0;
  #isFailing = false;

  constructor(log: Logger, maxWaiting: number) {
    this.#log = log;
    this.#maxWaiting = maxWaiting;
  }

  /** Limits the number of spans that wait in a processor, because the SDK's own limit drops spans silently. */
  bounded(processor: SpanProcessor): SpanProcessor {
    return {
      onStart: () => {},
      onEnd: (span) => {
        if (this.#waiting >= this.#maxWaiting) return this.#failed(1, 'QUEUE_FULL');
        this.#waiting += 1;
        processor.onEnd(span);
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    };
  }

  /** Observes the results of an exporter. */
  watched(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans: ReadableSpan[], done: Done) => {
        this.#waiting -= spans.length;
        this.#exporting += spans.length;
        exporter.export(spans, (result) => {
          this.#exporting -= spans.length;
          if (result.code === SUCCESS) this.#succeeded();
          else this.#failed(spans.length, codeOf(result.error));
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
  }

  /** Reports the spans that have not arrived as lost. */
  close(): void {
    this.#isFailing = true;
    this.#lost += this.#waiting + this.#exporting;
    if (this.#lost > 0) this.#log.warn({ lost: this.#lost }, 'spans were lost because the service ended');
  }

  #succeeded(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#log.info({ lost: this.#lost }, 'span export works again');
    this.#lost = 0;
  }

  /** Logs only the code, because messages quote addresses and the collector's responses. */
  #failed(spans: number, code: string): void {
    this.#lost += spans;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.warn({ code }, 'span export failed; spans are dropped until the collector responds');
  }
}

function codeOf(error: Error | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' || (typeof code === 'string' && /^\w{1,40}$/.test(code))
    ? String(code)
    : 'UNKNOWN';
}
