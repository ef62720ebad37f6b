/** A place that answers a question: a line of this file that has the anchor, which stands there once or is told by its text. */
export interface Place {
  readonly path: string;
  readonly anchor: string;
}

export interface Question {
  readonly ask: string;
  /** How it is asked: in the words of the code, in others, in German, misspelt, or of what is not there. */
  readonly words: 'same' | 'other' | 'german' | 'misspelt' | 'absent';
  /** Any of these is right; none where the project has no answer. */
  readonly places: readonly Place[];
}

const at = (path: string, ...anchors: string[]): Place[] => anchors.map((anchor) => ({ path, anchor }));

/** On this repository; the searcher was tuned on these. */
export const tuningQuestions: readonly Question[] = [
  {
    ask: 'How does the rate limit answer?',
    words: 'same',
    places: [
      ...at('docs/reference/service.md', 'to so many requests a minute; the ones above get 429'),
      ...at(
        'src/service/http/middleware/limit-callers.ts',
        "new RequestRefused('rate_limited'",
        'the limit is ',
      ),
      ...at('src/contract/error-codes.ts', 'Too many requests to this service.'),
    ],
  },
  {
    ask: 'Where is the deadline of a request set?',
    words: 'same',
    places: [
      ...at(
        'src/service/http/intake/request-deadline.ts',
        "this.interrupt('deadline')",
        'start(deadlineMs: number)',
      ),
      ...at('docs/reference/providers.md', 'at most `STEP_DEADLINE_MS`'),
      ...at('src/service/http/intake/accept-request.ts', 'deadline.start('),
    ],
  },
  {
    ask: 'How are call ids made?',
    words: 'same',
    places: [
      ...at('docs/reference/steps-and-histories.md', 'A call without an id, or with an id already taken'),
      ...at('src/conversation/units.ts', 'counted from the start (rule: call-ids)', '#nextFree(): string'),
    ],
  },
  {
    ask: 'Which file names count as secret?',
    words: 'same',
    places: at(
      'src/files/secret-paths.ts',
      'const secretFiles = [',
      'export function isSecretPath',
      'Files that hold keys, tokens or passwords',
    ),
  },
  {
    ask: 'When is a heartbeat sent in a stream?',
    words: 'same',
    places: [
      ...at('src/service/http/routes/event-stream.ts', 'const HEARTBEAT_MS', 'HEARTBEAT_MS)', ': still here'),
      ...at('docs/reference/streaming.md', '### heartbeat'),
    ],
  },
  {
    ask: 'How many lines does read_file show at most?',
    words: 'same',
    places: [
      ...at('src/tools/read/limits.ts', 'Lines that `read_file` shows at a time', 'maxLines: 500'),
      ...at('docs/reference/client.md', '`read_file(path, start_line, end_line)`'),
    ],
  },
  {
    ask: 'What stops somebody from sending too much in a minute?',
    words: 'other',
    places: [
      ...at(
        'docs/reference/service.md',
        'to so many requests a minute; the ones above get 429',
        '`requestsAtOnce` counts what is not answered yet',
      ),
      ...at(
        'src/service/http/middleware/limit-callers.ts',
        'Holds each token, or each address',
        'requests a minute',
      ),
      ...at('src/service/operations/limits/caller-limits.ts', 'requestsPerMinute'),
    ],
  },
  {
    ask: 'How is a shell program killed that takes too long?',
    words: 'other',
    places: [
      ...at(
        'src/tools/run/end-command.ts',
        'Ends everything that is left of a command',
        "isPolite ? 'SIGTERM' : 'SIGKILL'",
      ),
      ...at('src/tools/run/run-command.ts', "resolve('timeout')"),
    ],
  },
  {
    ask: 'Can a symlink be used to break out of the folder?',
    words: 'other',
    places: [
      ...at(
        'src/files/disk/open-contained.ts',
        'Contained by real path: links may lead anywhere inside the root',
        "if (!isInside(root, real)) throw new RefusedPath('outside')",
      ),
      ...at('docs/reference/context-and-budget.md', 'Nothing outside the project folder is ever shown'),
      ...at('docs/decisions/containment.md', '# Containment'),
    ],
  },
  {
    ask: 'How large may a payload be?',
    words: 'other',
    places: [
      ...at(
        'docs/reference/service.md',
        'A request body is JSON in UTF-8, uncompressed',
        '| `MAX_BODY_BYTES`',
      ),
      ...at('src/service/config.ts', 'MAX_BODY_BYTES: wholeNumber'),
      ...at('deploy/nginx/stepwise.conf', 'Above MAX_BODY_BYTES (4 MiB)'),
      ...at('src/service/run.ts', 'MAX_BODY_BYTES '),
    ],
  },
  {
    ask: 'How do I see whether the server is alive?',
    words: 'other',
    places: [
      ...at('docs/reference/service.md', '`/healthz` says that the process answers'),
      ...at('src/service/http/routes/status-routes.ts', 'Liveness, readiness, version', "path: '/healthz'"),
    ],
  },
  {
    ask: 'Wie werden Geheimnisse aus den Logs gehalten?',
    words: 'german',
    places: [
      ...at(
        'docs/reference/providers.md',
        'A key exists in memory and in the request to its provider',
        'Redaction goes by value',
      ),
      ...at(
        'src/service/providers/secret.ts',
        'A key that prints as',
        'A text that goes to the operator, without the key',
        'The text without the key in any shape',
      ),
      ...at('src/service/http/middleware/request-state.ts', 'so that nothing logged holds it'),
    ],
  },
  {
    ask: 'Was passiert beim Herunterfahren mit offenen Anfragen?',
    words: 'german',
    places: [
      ...at(
        'docs/reference/service.md',
        'SIGTERM turns `/readyz` to 503',
        'New steps get 503 `shutting_down` meanwhile',
      ),
      ...at('src/service/run.ts', 'The first signal drains'),
      ...at('src/service/http/intake/in-flight.ts', '(rules: overload, shutdown)'),
      ...at('src/service/start.ts', 'SHUTDOWN_GRACE_MS'),
    ],
  },
  {
    ask: 'how are the tokens of a text coutned?',
    words: 'misspelt',
    places: [
      ...at(
        'src/tokens/count-text.ts',
        'Tokens of a short text',
        'export async function countText',
        'export function countAtOnce',
      ),
      ...at(
        'src/tokens/token-counter.ts',
        'Counts the tokens of the texts of one step',
        'count(text: string): Promise<number>',
      ),
      ...at('docs/decisions/token-counting.md', '# Counting tokens', '## Decision'),
      ...at('docs/reference/context-and-budget.md', '### counting'),
    ],
  },
  { ask: 'Where is the signature of a Stripe webhook verified?', words: 'absent', places: [] },
  { ask: 'Wie wird das Bitcoin-Wallet gesichert?', words: 'absent', places: [] },
];

/** On this repository; the searcher was not tuned on these. */
export const heldOutQuestions: readonly Question[] = [
  {
    ask: 'What happens to a second action in a reply?',
    words: 'same',
    places: [
      ...at(
        'docs/reference/reading-the-model.md',
        'Of several written actions the first is proposed',
        'The first of action and final answer wins',
      ),
      ...at('src/service/step/read-reply.ts', '(rule: first-action-wins)'),
    ],
  },
  {
    ask: 'How is the Retry-After header of a provider read?',
    words: 'same',
    places: at(
      'src/service/providers/upstream/retry-after.ts',
      'export function readRetryAfterMs',
      'What the provider asks us to wait',
    ),
  },
  {
    ask: 'How is the history folded when it outgrows its share?',
    words: 'same',
    places: [
      ...at(
        'src/service/step/history/fold-history.ts',
        'Replays the units oldest first',
        'export function foldHistory',
      ),
      ...at('docs/reference/context-and-budget.md', 'When the history outgrows S'),
      ...at('docs/decisions/prompt-layout.md', 'When the history outgrows its share'),
    ],
  },
  {
    ask: 'What does edit_file say when old_string occurs twice?',
    words: 'same',
    places: at(
      'src/tools/write/edit-file.ts',
      'Include more of the lines around it.',
      'old_string must occur exactly once',
    ),
  },
  {
    ask: 'Where are saved runs kept on the disk?',
    words: 'same',
    places: [
      ...at('src/cli/state/saved-runs.ts', 'savedRunsFolder'),
      ...at('src/cli/state/user-files.ts', 'Where what has happened is kept'),
      ...at('docs/terminal.md', '.local/state'),
    ],
  },
  {
    ask: 'When is a request to the provider made a second time?',
    words: 'same',
    places: [
      ...at(
        'docs/reference/providers.md',
        'A second request to the provider is made at most once',
        '| 429, 5xx | not for quotas',
      ),
      ...at(
        'src/service/providers/upstream/attempts.ts',
        'Makes the request, and once more where that is allowed',
        'async function attemptAgain',
      ),
    ],
  },
  {
    ask: 'What if the browser tab is closed in the middle of an answer?',
    words: 'other',
    places: [
      ...at('docs/reference/service.md', 'When the caller closes the connection, the work stops'),
      ...at(
        'src/service/http/intake/request-deadline.ts',
        "this.interrupt('caller_left')",
        'when the caller leaves',
      ),
    ],
  },
  {
    ask: 'How does it notice that the agent goes round in circles?',
    words: 'other',
    places: [
      ...at(
        'src/service/step/history/signals.ts',
        'Counts over the calls of a run',
        'repeated_cycle: number',
        'repeated_action: number',
      ),
      ...at('docs/reference/steps-and-histories.md', '### signals', '### advice'),
    ],
  },
  {
    ask: 'Which vendor does a model name belong to?',
    words: 'other',
    places: [
      ...at('docs/reference/providers.md', "are OpenAI's, `claude-…` is Anthropic's"),
      ...at(
        'src/service/providers/models/models.ts',
        'Names that decide for this vendor',
        'route: /^offline$/',
      ),
    ],
  },
  {
    ask: 'How does the terminal measure wide Asian characters?',
    words: 'other',
    places: at('src/cli/display/columns.ts', 'How wide a text is on a terminal', 'const atMostColumns'),
  },
  {
    ask: 'How are old parts of a long conversation shortened by a summary?',
    words: 'other',
    places: [
      ...at(
        'src/service/step/compaction/summarize-history.ts',
        'One model call turns the oldest part into one',
      ),
      ...at('docs/reference/steps-and-histories.md', '### compaction-summarize'),
      ...at('src/contract/openapi/operations.ts', 'one model call that turns the oldest part into one'),
    ],
  },
  {
    ask: 'Wie viele Treffer zeigt die Suche höchstens?',
    words: 'german',
    places: [
      ...at('src/tools/read/limits.ts', 'Matches that `search_code`', 'maxMatches: 50'),
      ...at('src/cli/commands/usage.ts', '--max-matches N'),
      ...at('docs/reference/client.md', 'maxMatches'),
    ],
  },
  {
    ask: 'what does the approvel of a comand offer?',
    words: 'misspelt',
    places: [
      ...at('src/cli/approval/ask-person.ts', 'Shows what an action would do, and asks', "['y', 'allow']"),
      ...at(
        'src/sdk/actions/approval.ts',
        'export interface ApprovalRequest',
        'export type ApprovalDecision',
      ),
      ...at('docs/terminal.md', '## Approvals'),
      ...at('docs/reference/client.md', '### approval'),
    ],
  },
  {
    ask: 'where is the serch worker of the playgruond started?',
    words: 'misspelt',
    places: at(
      'src/playground/state/start-search-worker.ts',
      'export const startSearchWorker',
      'createScriptURL: () => SEARCH_WORKER',
    ),
  },
  { ask: 'How are GraphQL resolvers batched?', words: 'absent', places: [] },
  { ask: 'Where does the Android app ask for push notifications?', words: 'absent', places: [] },
];

/** On `examples/shop`, as they were before the searcher was tuned. */
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
    places: at('src/orders.js', "paid: ['shipped', 'cancelled']"),
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
