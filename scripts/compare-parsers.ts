import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadParsers, type Parser } from '../conformance/peers.js';
import { outcomeOf, toOffered } from '../conformance/stepwise.js';
import { loadCases, type ParserCase } from '../test/support/parsing/cases.js';

/**
 * Holds the text parsers of other libraries against the cases of the conformance set that each claims to read, and writes
 * `conformance/PEERS.md`. Needs Python and the registries; not a part of any check. Takes two to five minutes the first time.
 */
type Form = 'two lines' | 'JSON';

/** What a parser made of a reply: a call with its input, an answer, or an error. */
interface Reading {
  readonly tool?: string;
  readonly input?: unknown;
  readonly error?: string;
}

interface Peer {
  readonly name: string;
  readonly version: string;
  readonly form: Form;
  /** The form of an answer that it teaches, if it has one in words. */
  readonly answers?: RegExp;
  readonly read: (cases: readonly ParserCase[]) => Promise<Map<string, Reading>>;
}

/** What most of them teach: `Action:` with `Action Input:`, or `Final Answer:`. */
const twoLines = { form: 'two lines', answers: /Final Answer:/ } as const;

const scratch = 'node_modules/.cache/conformance-peers';

/** A package of Python in an environment of its own, since they do not agree on what they need. */
function python(
  name: string,
  parser: string,
  { requirement, form, answers }: { requirement: string } & Pick<Peer, 'form' | 'answers'>,
): Peer {
  const folder = join(scratch, parser);
  const read = async (cases: readonly ParserCase[]): Promise<Map<string, Reading>> => {
    if (!existsSync(join(folder, 'bin'))) {
      console.log(`installing ${requirement} …`);
      execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    }
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement];
    execFileSync(join(folder, 'bin/python'), pip, { stdio: 'inherit', timeout: 600_000 });
    const input = cases.map(({ id, text }) => JSON.stringify({ id, text })).join('\n');
    const program = [join('conformance', 'peers.py'), parser];
    const options = { input, encoding: 'utf8', timeout: 300_000, maxBuffer: 2 ** 26 } as const;
    const lines = execFileSync(join(folder, 'bin/python'), program, options).trim().split('\n');
    return new Map(lines.map((line) => JSON.parse(line)).map(({ id, ...reading }) => [id, reading]));
  };
  return { name, version: requirement.replace('==', ' '), form, ...(answers && { answers }), read };
}

async function readEach(cases: readonly ParserCase[], parser: Parser): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const { id, text } of cases) {
    try {
      const call = await parser.parse(text);
      readings.set(id, call ? { tool: call.tool, input: call.args } : {});
    } catch (error) {
      readings.set(id, { error: String(error) });
    }
  }
  return readings;
}

/** This project's own, which is told what is offered. */
const stepwise = (version: string, claim: Pick<Peer, 'form' | 'answers'>): Peer => ({
  name: 'Stepwise',
  version,
  ...claim,
  read: async (cases) =>
    new Map(
      cases
        .map((each) => [each.id, outcomeOf(each)] as const)
        .map(([id, { tool_name, tool_args }]) => [
          id,
          tool_name === undefined ? {} : { tool: tool_name, input: tool_args },
        ]),
    ),
});

/** Rules about what this service itself puts into a prompt, and about servers that leak their template: nobody else claims those. */
const ownRules = ['echoed-fence', 'chat-tokens', 'step-object', 'answer-call'];

const isOfForm: Record<Form, (each: ParserCase) => boolean> = {
  'two lines': ({ expected }) => expected.dialect === 'action_input',
  JSON: ({ expected }) =>
    /json|tag/.test(expected.dialect ?? '') && /"name".*"arguments"/s.test(expected.raw ?? ''),
};
/** As each library's prompt asks for it: plain labels or a tag, JSON without a fence, and nothing after the call. */
const isTaught: Record<Form, RegExp> = {
  'two lines': /^plain(\+nothoughtlabel)?\+AI$/,
  JSON: /^plain(\+nothoughtlabel)?(\+tag)?$/,
};
const trigger: Record<Form, RegExp> = { 'two lines': /Action\s*\d*\s*:/i, JSON: /\{/ };

type Group = 'taught' | 'wrapped' | 'no call' | 'answer';

/** The group a case belongs to for a parser; undefined if that does not claim it. */
function groupOf(each: ParserCase, { form, answers = /(?!)/ }: Peer): Group | undefined {
  const { rule, expected, text, style, wrap = '' } = each;
  if (ownRules.includes(rule) || each.finish_reason || expected.outcome === 'unknown_tool') return undefined;
  if (expected.outcome === 'action') {
    if (!isOfForm[form](each)) return undefined;
    const isPlain = isTaught[form].test(wrap) && style !== 'action_input_py' && !/Input:\s*```/.test(text);
    return isPlain ? 'taught' : 'wrapped';
  }
  if (trigger[form].test(text)) return 'no call';
  return answers.test(text) && expected.labelled ? 'answer' : undefined;
}

/** A text that is no object is the first parameter, as for a tool with a single input; LlamaIndex calls it `input`. */
function toArguments(input: unknown, { tools, expected }: ParserCase): unknown {
  const [first = ''] = tools.find(({ name }) => name === expected.tool_name)?.parameters ?? [];
  if (typeof input === 'string') {
    const decoded = decode(input);
    if (typeof decoded === 'object' && decoded !== null) return decoded;
    return { [first]: input };
  }
  const entries = Object.entries(input ?? {});
  return entries.length === 1 && entries[0]?.[0] === 'input' ? { [first]: entries[0][1] } : input;
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const verdicts = ['right', 'missed', 'wrong', 'raised', 'acted'] as const;
type Verdict = (typeof verdicts)[number];

function verdictOf(each: ParserCase, { tool, input, error }: Reading): Verdict {
  const { outcome, tool_name, tool_args } = each.expected;
  if (outcome !== 'action') {
    // A tool that is not offered the executor would refuse.
    if (each.tools.some(({ name }) => name === tool)) return 'acted';
    // Who raises has not acted; an answer that was given as one is to be read.
    return error === undefined || outcome !== 'answer' || !each.expected.labelled ? 'right' : 'raised';
  }
  if (error !== undefined) return 'raised';
  if (tool === undefined) return 'missed';
  return tool === tool_name && isDeepStrictEqual(toArguments(input, each), tool_args) ? 'right' : 'wrong';
}

type Counts = Record<Group, Record<Verdict, number>>;

async function score(peer: Peer, cases: readonly ParserCase[]): Promise<Counts> {
  const none = () => ({ right: 0, missed: 0, wrong: 0, raised: 0, acted: 0 });
  const counts: Counts = { taught: none(), wrapped: none(), 'no call': none(), answer: none() };
  const own = cases.filter((each) => groupOf(each, peer));
  const readings = await peer.read(own);
  for (const each of own) {
    const group = groupOf(each, peer);
    if (group) counts[group][verdictOf(each, readings.get(each.id) ?? { error: 'nothing' })] += 1;
  }
  return counts;
}

const total = (counts: Record<Verdict, number>): number =>
  verdicts.reduce((sum, each) => sum + counts[each], 0);

function row({ name, version }: Peer, { taught, wrapped, 'no call': none, answer }: Counts): string {
  const calls = [taught, wrapped].flatMap((counts) => [
    `${counts.right}/${total(counts)}`,
    `${counts.missed}, ${counts.wrong}, ${counts.raised}`,
  ]);
  const answers = total(answer) === 0 ? '' : `${answer.right}/${total(answer)}`;
  return `| ${[name, version, ...calls, `${none.acted}/${total(none)}`, answers].join(' | ')} |`;
}

const versionOf = (name: string): string => {
  const { dependencies } = JSON.parse(readFileSync('bench/peers/package.json', 'utf8'));
  return `${name} ${dependencies[name]}`;
};

async function main(): Promise<void> {
  const cases = [...loadCases('written-calls'), ...loadCases('rulings')];
  const offered = new Map(cases.flatMap(({ tools }) => toOffered(tools)).map((tool) => [tool.name, tool]));
  const parsers = await loadParsers([...offered.values()]);
  const inProcess = (name: string, own: string, version: string): Peer => {
    const parser = parsers.find((each) => each.name === own);
    if (!parser) throw new Error(`no parser ${own}`);
    return { name, version, ...twoLines, read: (given) => readEach(given, parser) };
  };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const peers: Peer[] = [
    stepwise(version, twoLines),
    python('LangChain `ReActSingleInputOutputParser`', 'langchain', {
      requirement: 'langchain-classic==1.0.8',
      ...twoLines,
    }),
    inProcess(
      'LangChain.js `ReActSingleInputOutputParser`',
      'langchain ReAct',
      versionOf('@langchain/classic'),
    ),
    python('LlamaIndex `ReActOutputParser`', 'llama_index', {
      requirement: 'llama-index-core==0.14.25',
      ...twoLines,
      answers: /Thought:.*Answer:/s,
    }),
    python('CrewAI `parse`', 'crewai', { requirement: 'crewai==1.15.30', ...twoLines }),
    inProcess('BeeAI `LinePrefixParser`', 'beeai LinePrefix', versionOf('beeai-framework')),
    stepwise(version, { form: 'JSON' }),
    python('smolagents `Model.parse_tool_calls`', 'smolagents', {
      requirement: 'smolagents==1.26.0',
      form: 'JSON',
    }),
  ];
  const rows: Record<Form, string[]> = { 'two lines': [], JSON: [] };
  for (const peer of peers) rows[peer.form].push(row(peer, await score(peer, cases)));
  writeFileSync('conformance/PEERS.md', page(rows));
  console.log(readFileSync('conformance/PEERS.md', 'utf8'));
}

const heading = `| parser | version | calls as taught | missed, wrong, raised | calls with something around them | missed, wrong, raised | acted where nothing may run | labelled answers |
| --- | --- | --- | --- | --- | --- | --- | --- |`;

const page = (rows: Record<Form, string[]>): string => `# What other parsers read

Written by \`npm run compare:parsers\` on ${new Date().toISOString().slice(0, 10)}. Each parser is held against the cases in the form that its own prompt
teaches, and against those that only look like it. What it does not claim is left out: other forms of a call, tools that are not offered (most
leave that to the executor), replies cut off by an output limit (a parser is not told), prose without a label, and the rules about this service's own fences, forms
and templates. The parsers of agents that write Python (\`CodeAgent\` of smolagents) and of XML tool tags have no cases here.

*Taught*: plain labels, JSON without a fence, nothing after the call. *Around them*: labels in bold, as headings, numbered or in lower case, an input in a code fence or as a Python
dictionary, reasoning before, a made-up observation or prose after, and the [rulings](README.md). *Missed*: taken for an answer. *Wrong*: another tool or other arguments. *Raised*: an exception, which the library may
answer by asking the model again. *Acted*: proposed a call of an offered tool although the text holds none that may run; a parser that raises has not acted. The input of a call that
is a text is decoded where it is JSON, and otherwise taken for the first parameter.

The expected outcomes of the rulings are this project's decisions; its own row shows nothing but that it keeps to them.

## \`Action:\` and \`Action Input:\`

${heading}
${rows['two lines'].join('\n')}

## JSON with \`name\` and \`arguments\`, in a tag or not

${heading}
${rows.JSON.join('\n')}
`;

await main();
