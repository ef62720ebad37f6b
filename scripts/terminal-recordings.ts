/**
 * Scripts for the terminal recordings that `npm run record` makes: replies of the model, and keys that a person
 * types.
 */
import type { ScriptedReply } from '../src/offline/wire/reply.js';

const scripted = '--model scripted --upstream fake';

/** Keys to type as soon as the expected text has appeared. */
export type Move = readonly [expected: string, keys: string];

export interface Recording {
  readonly title: string;
  readonly command: string;
  readonly replies: readonly ScriptedReply[];
  readonly moves?: readonly Move[];
  /** If set, the manual also shows the screen at the moment when this text first appeared. */
  readonly during?: string;
  /** Number of columns and rows. Default: 80 and 30. */
  readonly size?: { readonly columns: number; readonly rows: number };
}

const slowly = { chunkDelayMs: 40 };
const act = (thought: string, call: string): ScriptedReply => ({
  text: `Thought: ${thought}\nAction: ${call}`,
  ...slowly,
});
const answer = (text: string): ScriptedReply => ({
  text: `Thought: That is all.\nFinal Answer: ${text}`,
  ...slowly,
});
const block = (prose: string, value: object): ScriptedReply => ({
  text: `${prose}\n\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
});
const [escapeKey, enterKey, erase] = ['\u001b', '\r', '\u007f'];

const report = `# The discount

It is calculated in \`src/cart.ts\`, **line 12**: ten percent of the whole, see [the rules](https://shop.example/rules).

1. The coupon is looked up, which takes a query for each of the items in the cart
2. The limit is held: 割引の上限は四十です。

| coupon | what it gives, and when | up to |
|---|---|--:|
| SPRING | ten percent of the whole cart, in March and April | 40 |
| FRIEND | a free item | 1 |

\`\`\`ts
export const discount = (total: number) => Math.min(total * 0.1, 40);
\`\`\`
`;

export const recordings: Readonly<Record<string, Recording>> = {
  approvals: {
    title: 'A task with approval: allow, edit, deny with a reason',
    command: `stepwise ${scripted} "Raise the limit in @config.js and test it"`,
    replies: [
      act('I raise it.', 'edit_file(path="config.js", old_string="30", new_string="40")'),
      act('I run the tests.', 'run_command(command="npm test")'),
      act('I clean up.', 'run_command(command="rm -r build")'),
      answer('The limit is 40. I left the build folder alone.'),
    ],
    moves: [
      ['[esc] stop', 'y'],
      ['exactly run_command(command="npm test")', 'e'],
      ['command: npm test', `${erase.repeat(8)}node --check config.js${enterKey}`],
      ['"rm -r build"', 'n'],
      ['Why not?', `That folder is needed.${enterKey}`],
    ],
  },
  'esc-model-call': {
    title: 'Esc during the model call',
    command: `stepwise ${scripted} "Think about it"`,
    replies: [{ text: 'never', delayMs: 60_000 }],
    moves: [['2s • esc', escapeKey]],
  },
  'esc-command': {
    title: 'Esc during a long command ends its whole process group',
    command: `stepwise ${scripted} "Wait for it"; echo; ps -C sleep -o pid=,stat=,args= | grep 'sleep 300' | grep -v Z || echo "(no sleep is left)"`,
    replies: [act('This takes a while.', 'run_command(command="sleep 3001 & sleep 3002")')],
    moves: [
      ['[esc] stop', 'y'],
      ['Running sleep 3001 & sleep 3002… 2s', escapeKey],
    ],
  },
  'step-limit': {
    title: 'The step limit, with its exit code',
    command: `stepwise ${scripted} --max-steps 2 "Find the bug"; echo "exit code $?"`,
    replies: [act('I look around.', 'list_files()'), act('I look again.', 'search_code(pattern="bug")')],
  },
  'request-input': {
    title: 'The model asks the person',
    command: `stepwise ${scripted} "Deploy it"`,
    replies: [
      act('Where to?', 'request_input(question="Which environment?", choices=["staging", "production"])'),
      answer('It goes to staging.'),
    ],
    moves: [['answer:', `1${enterKey}`]],
  },
  todo: {
    title: 'The TODO list fills and empties; then the model must answer',
    command: `stepwise ${scripted} "Describe this project"`,
    replies: [
      act('A plan first.', 'create_tasks(tasks=["Look at the files", "Read the main one"])'),
      act('First.', 'list_files()'),
      act('Done.', 'update_task_status(id=1, status="completed")'),
      act('Second.', 'read_file(path="config.js")'),
      act('Done.', 'update_task_status(id=2, status="completed")'),
      answer('One file, one limit.'),
    ],
    during: '☑ Look at the files',
  },
  'strict-strategy': {
    title: 'Reason, act, observe: one model call each',
    command: `stepwise ${scripted} --strategy reason-act-observe "What is the limit?"`,
    replies: [
      block('I need to read the file.', {
        plan: ['read config.js'],
        tools_to_consider: ['read_file'],
        finish: false,
      }),
      act('Now.', 'read_file(path="config.js")'),
      block('There it is.', {
        observation: 'limit = 30',
        should_continue: false,
        final_answer: 'The limit is 30.',
      }),
    ],
  },
  markdown: {
    title: 'An answer while the model writes it: Markdown, wrapped to the window',
    command: `stepwise ${scripted} "How is the discount calculated?"`,
    replies: [answer(report)],
    during: 'SPRING',
    size: { columns: 60, rows: 40 },
  },
  'live-command': {
    title: 'A command shows its last lines while it runs, and keeps its end afterwards',
    command: `stepwise ${scripted} --yes "Test it"`,
    replies: [
      act(
        'I run the tests.',
        'run_command(command="for n in $(seq 1 12); do echo test $n ok; sleep 0.2; done")',
      ),
      answer('All twelve pass.'),
    ],
    during: 'test 8 ok',
  },
  session: {
    title: 'A session: a paste, a queued line, the changes, and undoing them',
    command: `stepwise ${scripted}`,
    replies: [
      {
        ...act('That is the limit.', 'edit_file(path="config.js", old_string="30", new_string="40")'),
        delayMs: 2_500,
      },
      answer('The limit is 40 now.'),
    ],
    moves: [
      ['/help for help', '\u001b[200~Raise this limit:\nexport const limit = 30;\u001b[201~'],
      ['export const limit', enterKey],
      ['Thinking…', `/diff${enterKey}`],
      ['[esc] stop', 'y'],
      ['The limit is 40 now.', ''],
      ['+export const limit = 40;', `/undo${enterKey}`],
      ['config.js', `/quit${enterKey}`],
    ],
  },
  hostile: {
    title: 'Control sequences are shown instead of acting on the terminal',
    command: `stepwise ${scripted} "Look around"`,
    replies: [
      answer(
        'Clear: \u001b[2J\u001b[H, a title: \u001b]0;owned\u0007, turned: \u202egnp.exe, hidden: a\u200bb, an entity: &#27;[2J',
      ),
    ],
  },
  ascii: {
    title: 'A screen without UTF-8',
    command: `LANG=C stepwise ${scripted} "What is here?"`,
    replies: [act('I look.', 'list_files()'), answer('One file — “config.js”, café included.')],
  },
  dumb: {
    title: 'TERM=dumb: printed lines without cursor movement',
    command: `TERM=dumb stepwise ${scripted} "What is here?"`,
    replies: [act('I look.', 'list_files()'), answer('**One** file.')],
  },
  doctor: {
    title: 'The doctor checks the setup and what is reachable',
    command: 'stepwise doctor',
    replies: [],
  },
  tools: {
    title: 'The tools and their arguments',
    command: 'stepwise tool',
    replies: [],
  },
  json: {
    title: 'Events as lines of JSON, for scripts',
    command: `stepwise ${scripted} --json "What is here?" | cut -c1-96`,
    replies: [act('I look.', 'list_files()'), answer('One file.')],
  },
  replay: {
    title: 'A saved run is shown again, and its completions are parsed again',
    command: `stepwise ${scripted} --save run.json "What is here?" > /dev/null 2>&1; stepwise replay run.json`,
    replies: [act('I look.', 'list_files()'), answer('One file.')],
  },
};
