import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';

/** Of an exporter, what it calls when it is done. */
type Done = Parameters<SpanExporter['export']>[1];
const SUCCESS = 0;

/**
 * Counts the spans that do not reach the collector: it fails, or takes so long that too many wait. The log says when that
 * begins, and how many were lost when it ends (rule: span-delivery).
 */
export class SpanDelivery {
  readonly #log: Logger;
  readonly #mostWaiting: number;
  #waiting = 0;
  #underWay = 0;
  #lost = 0;
  #isFailing = false;

  constructor(log: Logger, mostWaiting: number) {
    this.#log = log;
    this.#mostWaiting = mostWaiting;
  }

  /** The processor, with as many spans waiting in it as may; the SDK's own drops those above without telling. */
  bounded(processor: SpanProcessor): SpanProcessor {
    return {
      onStart: () => {},
      onEnd: (span) => {
        if (this.#waiting >= this.#mostWaiting) return this.#failed(1, 'QUEUE_FULL');
        this.#waiting += 1;
        processor.onEnd(span);
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    };
  }

  /** The exporter; each batch that it takes waits no longer. */
  watched(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans: ReadableSpan[], done: Done) => {
        this.#waiting -= spans.length;
        this.#underWay += spans.length;
        exporter.export(spans, (result) => {
          this.#underWay -= spans.length;
          if (result.code === SUCCESS) this.#succeeded();
          else this.#failed(spans.length, codeOf(result.error));
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
  }

  /** Nothing more will be sent, or told: what has not arrived is lost. */
  close(): void {
    this.#isFailing = true;
    this.#lost += this.#waiting + this.#underWay;
    if (this.#lost > 0) this.#log.warn({ lost: this.#lost }, 'spans were lost');
  }

  #succeeded(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#log.info({ lost: this.#lost }, 'the collector takes spans again');
    this.#lost = 0;
  }

  /** A code alone: messages quote addresses and what the collector answered. */
  #failed(spans: number, code: string): void {
    this.#lost += spans;
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#log.warn({ code }, 'the collector takes no spans: they are lost until it does');
  }
}

function codeOf(error: Error | undefined): string {
  const code = error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' || (typeof code === 'string' && /^\w{1,40}$/.test(code))
    ? String(code)
    : 'UNKNOWN';
}
