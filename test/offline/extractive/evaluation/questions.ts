/** A line that answers a question: the line of this file that contains the anchor. */
export interface Place {
  readonly path: string;
  readonly anchor: string;
}

export interface Question {
  readonly ask: string;
  /** Wording of the question: the code's own words, other words, German, misspelt, or about an absent topic. */
  readonly words: 'same' | 'other' | 'german' | 'misspelt' | 'absent';
  /** Correct places, of which any one suffices; empty if the project has no answer. */
  readonly places: readonly Place[];
}

const at = (path: string, ...anchors: string[]): Place[] => anchors.map((anchor) => ({ path, anchor }));

/** Questions about the imaginary project in `lantern`. The searcher was not tuned on them. */
export const lanternQuestions: readonly Question[] = [
  {
    ask: 'How does the rate limit answer?',
    words: 'same',
    places: at('lantern/http/rate_limit.py', 'raise Refused(429', 'Answers 429 with Retry-After'),
  },
  {
    ask: 'How long is a lease?',
    words: 'same',
    places: [
      ...at('lantern/queue/leases.py', 'LEASE_SECONDS = 60'),
      ...at('docs/adr/0002-leases.md', 'it leases it for one minute'),
    ],
  },
  {
    ask: 'When is a failed job tried again?',
    words: 'same',
    places: [
      ...at('lantern/queue/retries.py', 'When a failed job is tried again', 'def pause_before'),
      ...at('docs/jobs.md', 'up to three times'),
    ],
  },
  {
    ask: 'How are old results deleted?',
    words: 'same',
    places: at('lantern/results/purge.py', 'def purge', 'Deletes results that are older'),
  },
  {
    ask: 'Where is the token of a caller compared?',
    words: 'same',
    places: at('lantern/http/tokens.py', 'hmac.compare_digest', 'compared in constant time'),
  },
  {
    ask: 'What happens to jobs with the same key?',
    words: 'same',
    places: [
      ...at('docs/jobs.md', 'Two jobs with the same key'),
      ...at('lantern/queue/store.py', 'A job with the same key'),
    ],
  },
  {
    ask: 'Which port does the server use?',
    words: 'same',
    places: [...at('docs/configuration.md', 'LANTERN_PORT'), ...at('lantern/settings.py', 'LANTERN_PORT')],
  },
  {
    ask: 'How is the queue copied while the service runs?',
    words: 'same',
    places: [
      ...at('lantern/backup.py', 'Copies the queue while the service runs', 'online backup'),
      ...at('docs/operations.md', 'copies it while the service runs'),
    ],
  },
  {
    ask: 'What is the signature of a webhook?',
    words: 'same',
    places: at('lantern/notify/webhook.py', 'signature = hmac.new', 'with a signature'),
  },
  {
    ask: 'Which urgent jobs are claimed first?',
    words: 'same',
    places: [
      ...at('docs/jobs.md', 'Jobs with priority `urgent`'),
      ...at('lantern/queue/leases.py', 'urgent ones first'),
    ],
  },
  {
    ask: 'What stops somebody from sending too much in a minute?',
    words: 'other',
    places: at('lantern/http/rate_limit.py', 'REQUESTS_PER_MINUTE = 120', 'used up the requests of a minute'),
  },
  {
    ask: 'How is a program ended that takes too long?',
    words: 'other',
    places: [
      ...at('lantern/worker.py', 'kills it when the time is up', 'subprocess.TimeoutExpired'),
      ...at('docs/configuration.md', 'seconds that a job may run'),
    ],
  },
  {
    ask: 'Can a symlink be used to break out of the folder?',
    words: 'other',
    places: at('lantern/results/keep.py', 'also through a symbolic link', 'is_relative_to'),
  },
  {
    ask: 'How large may a payload be?',
    words: 'other',
    places: [
      ...at('lantern/http/body.py', 'larger than max_bytes', 'if length > max_bytes'),
      ...at('docs/configuration.md', 'LANTERN_MAX_BODY_BYTES'),
      ...at('lantern/settings.py', 'LANTERN_MAX_BODY_BYTES'),
    ],
  },
  {
    ask: 'How do I see whether the server is alive?',
    words: 'other',
    places: [
      ...at('docs/operations.md', '/health/live'),
      ...at('lantern/health.py', 'Liveness and readiness', 'def live'),
    ],
  },
  {
    ask: 'What if a worker crashes in the middle of its work?',
    words: 'other',
    places: [
      ...at('docs/adr/0002-leases.md', 'A crashed worker needs no'),
      ...at('docs/jobs.md', 'A job whose worker dies'),
      ...at('lantern/queue/leases.py', 'Puts jobs of dead workers back'),
    ],
  },
  {
    ask: 'Why is there no message broker such as RabbitMQ?',
    words: 'other',
    places: at('docs/adr/0001-sqlite.md', 'A message broker would be'),
  },
  {
    ask: 'How is a cron expression evaluated?',
    words: 'other',
    places: at(
      'lantern/queue/schedule.py',
      'def next_run',
      'Recurring jobs, written as in crontab',
      'def fits',
    ),
  },
  {
    ask: 'How is an idle connection kept open behind a proxy?',
    words: 'other',
    places: at('lantern/http/event_stream.py', 'keeps proxies from closing', 'KEEP_ALIVE_SECONDS = 15'),
  },
  {
    ask: 'Is a long output truncated?',
    words: 'other',
    places: at('lantern/results/keep.py', 'is cut off', 'MAX_RESULT_BYTES = '),
  },
  {
    ask: 'Wie werden Geheimnisse aus den Logs gehalten?',
    words: 'german',
    places: at('lantern/log.py', 'without secrets', 'def redact', 'Replaces every token'),
  },
  {
    ask: 'Was passiert beim Herunterfahren mit laufenden Jobs?',
    words: 'german',
    places: [
      ...at('docs/operations.md', 'Running jobs have', 'After SIGTERM the server'),
      ...at('lantern/drain.py', 'Graceful shutdown', 'The first SIGTERM drains'),
    ],
  },
  {
    ask: 'Wie lange wird ein Ergebnis aufbewahrt?',
    words: 'german',
    places: [
      ...at('docs/configuration.md', 'days that a result is kept'),
      ...at('lantern/settings.py', 'LANTERN_RESULT_DAYS'),
      ...at('lantern/results/keep.py', 'kept for some days'),
    ],
  },
  {
    ask: 'how are jobs canceled?',
    words: 'misspelt',
    places: [
      ...at('lantern/queue/store.py', 'def cancel', "state = 'cancelled'"),
      ...at('lantern/http/routes.py', 'store.cancel', '"/cancel"'),
    ],
  },
  {
    ask: 'where is the exponentiel backoff?',
    words: 'misspelt',
    places: at('lantern/queue/retries.py', 'Exponential backoff'),
  },
  {
    ask: 'which metrcis are counted for prometheus?',
    words: 'misspelt',
    places: at('lantern/metrics.py', 'text format of Prometheus', 'def observe', 'def render'),
  },
  { ask: 'Where is the signature of a Stripe payment verified?', words: 'absent', places: [] },
  { ask: 'Wie wird das Bitcoin-Wallet gesichert?', words: 'absent', places: [] },
  { ask: 'How are GraphQL resolvers batched?', words: 'absent', places: [] },
  { ask: 'Where does the Android app ask for push notifications?', words: 'absent', places: [] },
];

/** Questions about `examples/shop`. The searcher was tuned on them. */
export const shopQuestions: readonly Question[] = [
  {
    ask: 'Where is the discount for returning customers calculated?',
    words: 'same',
    places: at('src/pricing/discounts.js', 'export function returningCustomerDiscount'),
  },
  {
    ask: 'How long does a login session last?',
    words: 'same',
    places: at('src/config.js', "idleTimeout: minutes(number('SESSION_IDLE_MINUTES', 30))"),
  },
  {
    ask: 'When is shipping free?',
    words: 'same',
    places: at('src/config.js', 'freeShippingFromCents: 5000'),
  },
  {
    ask: 'What happens when the payment fails?',
    words: 'same',
    places: at('src/checkout.js', 'If the payment fails the order is cancelled'),
  },
  {
    ask: 'Explain `isReturningCustomer`',
    words: 'same',
    places: at('src/pricing/discounts.js', "order.status !== 'cancelled'"),
  },
  {
    ask: 'Which order states can be cancelled?',
    words: 'same',
    places: [
      ...at('src/orders.js', "paid: ['shipped', 'cancelled']"),
      ...at('docs/orders.md', 'can no longer be cancelled'),
    ],
  },
  {
    ask: 'What is the maximum discount?',
    words: 'other',
    places: at('docs/pricing.md', 'discounted by more than 30 %'),
  },
  {
    ask: 'How is the discount of a coupon calculated, and which limits does it have?',
    words: 'other',
    places: at('docs/pricing.md', 'discounted by more than 30 %'),
  },
  {
    ask: 'Wie lange ist eine Session gültig?',
    words: 'german',
    places: at('src/config.js', 'SESSION_IDLE_MINUTES'),
  },
  {
    ask: 'In src/money.js, how is rounding done?',
    words: 'same',
    places: at('src/money.js', 'rounded half up to the cent'),
  },
  { ask: 'Summarize docs/orders.md', words: 'same', places: at('docs/orders.md', '# The life of an order') },
  {
    ask: 'What does this project do?',
    words: 'other',
    places: at('README.md', 'a small web shop that sells tea'),
  },
  {
    ask: 'このプロジェクトの SESSION_IDLE_MINUTES は？',
    words: 'same',
    places: at('src/config.js', 'SESSION_IDLE_MINUTES'),
  },
  { ask: 'Where are the kangaroos fed?', words: 'absent', places: [] },
];
