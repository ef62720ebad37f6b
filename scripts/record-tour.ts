/**
 * Records the runs of the tour into examples/tour, which `npm run demo -- --tour` and the playground show. The
 * service, its prompts, the tools, the edits and the test runs are real, on a copy of examples/shop; the replies of
 * the model and the decisions of the person are the scripts below. `npm run record:tour` makes the files again.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeProvider } from '../src/offline/fake-provider.js';
import { type ApprovalRequest, type RunOptions, StepwiseClient, type Trajectory } from '../src/sdk/index.js';
import { readConfig } from '../src/service/settings/config.js';
import { startService } from '../src/service/start.js';
import { createToolPack } from '../src/tools/index.js';

const target = 'examples/tour';
/**
 * Folder of the recorded project. Its path is fixed, since the output of the tests contains it. The script fails if it
 * exists.
 */
const folder = join(tmpdir(), 'thornbury-tea');

const act = (thought: string, call: string) => ({ text: `Thought: ${thought}\nAction: ${call}` });
const answer = (thought: string, text: string) => ({ text: `Thought: ${thought}\nFinal Answer: ${text}` });

/** Renders a call with its arguments, which the model writes as JSON. */
const call = (name: string, args: Readonly<Record<string, unknown>>) =>
  `${name}(${Object.entries(args)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(', ')})`;
const edit = (path: string, old_string: string, new_string: string) =>
  call('edit_file', { path, old_string, new_string });
const runTests = call('run_command', {
  command: 'node --test --test-reporter=tap | grep -E "^not ok|expected:|actual:|^# (pass|fail)"',
});

/**
 * Returns the test of the free-shipping limit, with the limit in its title, and with the shipping costs that it expects
 * for a returning customer.
 */
const testOf = (limit: number, shipping: number) =>
  [
    `test('shipping is free from ${limit} EUR after discounts', () => {`,
    `  const cart = { lines: [{ sku: 'TEA-SENCHA-100', quantity: 4 }], coupon: null };`,
    `  assert.equal(priceCart(cart, { now }).shipping, 0);`,
    `  assert.equal(priceCart(cart, { orders: [delivered], now }).shipping, ${shipping});`,
  ].join('\n');

interface Part {
  readonly name: string;
  readonly task: string;
  /** Files that the person tagged, the most important first. */
  readonly tagged: readonly string[];
  readonly replies: readonly { readonly text: string }[];
}

const parts: readonly Part[] = [
  {
    name: 'change',
    task: 'Make shipping free from 40 EUR instead of 50 EUR, everywhere, and keep the tests passing.',
    tagged: ['docs/pricing.md', 'src/config.js', 'src/server.js', 'src/checkout.js'],
    replies: [
      act(
        'My prompt does not hold all files in full. So I make a plan, and then search for the limit instead of trusting what I see.',
        'create_tasks(tasks=["Change the limit in code and documentation", "Run the tests until they pass"])',
      ),
      act('Find every place that states the limit.', 'search_code(pattern="freeShipping|free from 50")'),
      act(
        'The limit is one setting, in cents.',
        edit('src/config.js', 'freeShippingFromCents: 5000', 'freeShippingFromCents: 4000'),
      ),
      act(
        'The documentation states it too.',
        edit('docs/pricing.md', 'free from 50 EUR', 'free from 40 EUR'),
      ),
      act('Code and documentation agree.', 'update_task_status(id=1, status="completed")'),
      act('Now the tests.', runTests),
      act(
        'The returning customer pays 46.44 EUR after the discount: below 50, but above 40. So the test must expect free shipping, and its title must name the new limit.',
        edit('test/pricing.test.js', testOf(50, 490), testOf(40, 0)),
      ),
      act('Run the tests again.', runTests),
      act(
        'All pass. I commit the change.',
        call('run_command', { command: 'git commit -am "Free shipping from 40 EUR"' }),
      ),
      act('The person commits. Everything else is done.', 'update_task_status(id=2, status="completed")'),
      answer(
        'Report what changed.',
        [
          'Shipping is now free from **40 EUR** after discounts:',
          '',
          '- `src/config.js`: `freeShippingFromCents` is 4000;',
          '- `docs/pricing.md`: rule 6 says 40 EUR;',
          '- `test/pricing.test.js`: a returning customer with 46.44 EUR now ships free.',
          '',
          'All tests pass. Nothing is committed, as you asked.',
        ].join('\n'),
      ),
    ],
  },
  {
    name: 'follow-up',
    task: 'Does a coupon count before the 40 EUR are checked?',
    tagged: ['docs/pricing.md'],
    replies: [
      act(
        'The documentation says "after discounts"; the code must confirm that coupons are among them.',
        'read_file(path="src/pricing/price-cart.js")',
      ),
      answer(
        'goods is the subtotal without all discounts, and discountsFor includes the coupon.',
        'Yes. `src/pricing/price-cart.js` subtracts all discounts, coupons included, from the subtotal (line 15) before it asks for the shipping (line 16). So a coupon can take a cart below 40 EUR, and shipping then costs 4.90 EUR.',
      ),
    ],
  },
];

/** Decides like a careful person: allows edits and tests, and denies the commit. */
async function approve({ action }: ApprovalRequest) {
  return JSON.stringify(action.tool_args).includes('git commit')
    ? ({ type: 'deny', reason: 'I commit it myself.' } as const)
    : ({ type: 'allow' } as const);
}

const read = (path: string) => ({ path, content: readFileSync(join(folder, path), 'utf8') });

/**
 * Replaces the scripted provider's name by `offline`, the embedded provider. Every service has that provider and builds
 * the same prompts for it, so the playground can rebuild the prompts and continue the run without a key.
 */
const nameOffline = (key: string, value: unknown) => (key === 'provider' ? 'offline' : value);

mkdirSync(folder);
const provider = await startFakeProvider();
const service = await startService(
  readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    OPENAI_UPSTREAM_URL: `${provider.url}/v1`,
  }),
);
try {
  cpSync('examples/shop', folder, { recursive: true });
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: 'no-key-is-needed' });
  const tools = await createToolPack(folder);
  let earlier: Trajectory | undefined;
  for (const { name, task, tagged, replies } of parts) {
    provider.script(replies);
    const options: RunOptions = {
      llmConfig: {
        modelName: 'recorded-model',
        provider: 'openai',
        tokenLimit: 6_000,
        reservedOutputTokens: 1_000,
      },
      tools,
      context: {
        paths: tagged,
        pinned: ['house-rules'],
        inline: {
          files: tagged.map(read),
          pinned_items: [{ id: 'house-rules', content: read('.stepwise/pinned/house-rules.md').content }],
        },
      },
      maxSteps: 15,
      report: 'full',
      approve,
      ...(earlier && {
        history: earlier.history,
        projectId: earlier.projectId,
        sessionId: earlier.sessionId,
      }),
    };
    const run = client.run(task, options);
    const { stopReason, error } = await run.result();
    if (stopReason !== 'answered') throw new Error(`${name} ended with ${stopReason}: ${error?.message}`);
    earlier = run.save();
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, `${name}.json`), `${JSON.stringify(earlier, nameOffline, 1)}\n`);
    console.log(`${name}: ${earlier.responses.length} steps`);
  }
} finally {
  await service.close();
  await provider.close();
  rmSync(folder, { recursive: true });
}
