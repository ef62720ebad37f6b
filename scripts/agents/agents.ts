import { join } from 'node:path';

/** The addresses and folders that a trial of an agent uses. */
interface Trial {
  /** Address of the service, without `/v1`. */
  readonly url: string;
  /** Name of the model in the agent's notation, such as `local/scripted`. */
  readonly model: string;
  /** Path of an empty home folder for the agent. */
  readonly home: string;
}

/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A real agent: its package, its settings as users write them, and its tool that runs commands. */
export interface Agent {
  readonly name: string;
  readonly wire: 'chat' | 'responses' | 'messages';
  readonly package: { readonly registry: 'npm' | 'pypi'; readonly name: string; readonly version: string };
  /** Returns the call by which the agent runs a shell command; absent for an agent that edits files without tools. */
  run?(command: string): Call;
  /** Returns the agent's settings files by path. */
  files?(trial: Trial): Readonly<Record<string, string>>;
  env?(trial: Trial): Readonly<Record<string, string>>;
  /** Returns the commands that must run before the agent gets its task. */
  prepare?(trial: Trial): readonly (readonly [string, ...string[]])[];
  /** Returns the command that gives the agent its task. */
  command(task: string, trial: Trial): readonly [string, ...string[]];
}

const chatUrl = ({ url }: Trial): string => `${url}/v1`;
const json = (value: unknown): string => JSON.stringify(value, null, 2);

export const agents: readonly Agent[] = [
  {
    name: 'Codex',
    wire: 'responses',
    package: { registry: 'npm', name: '@openai/codex', version: '0.171.0' },
    run: (command) => ({ tool: 'exec_command', args: { cmd: command } }),
    files: (trial) => ({
      [join(trial.home, '.codex/config.toml')]: `model = "${trial.model}"
model_provider = "stepwise"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false
apps = false

[model_providers.stepwise]
name = "Stepwise"
base_url = "${chatUrl(trial)}"
wire_api = "responses"
env_key = "STEPWISE_KEY"
`,
    }),
    env: () => ({ STEPWISE_KEY: 'any' }),
    command: (task) => ['codex', 'exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', task],
  },
  {
    name: 'opencode',
    wire: 'chat',
    package: { registry: 'npm', name: 'opencode-ai', version: '1.18.33' },
    run: (command) => ({ tool: 'bash', args: { command } }),
    files: (trial) => ({
      [join(trial.home, '.config/opencode/opencode.json')]: json({
        provider: {
          stepwise: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: chatUrl(trial), apiKey: 'any' },
            models: { [trial.model]: { limit: { context: 64_000, output: 4_096 } } },
          },
        },
      }),
    }),
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    command: (task, { model }) => ['opencode', 'run', '-m', `stepwise/${model}`, task],
  },
  {
    name: 'Claude Code',
    wire: 'messages',
    package: { registry: 'npm', name: '@anthropic-ai/claude-code', version: '2.1.332' },
    run: (command) => ({ tool: 'Bash', args: { command } }),
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'any',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    command: (task, { model }) => ['claude', '--model', model, '-p', task, '--allowedTools', 'Bash'],
  },
  {
    name: 'Qwen Code',
    wire: 'chat',
    package: { registry: 'npm', name: '@qwen-code/qwen-code', version: '0.24.4' },
    run: (command) => ({ tool: 'run_shell_command', args: { command } }),
    files: ({ home }) => ({
      [join(home, '.qwen/settings.json')]: json({
        privacy: { usageStatisticsEnabled: false },
        memory: { enableManagedAutoMemory: false },
      }),
    }),
    env: (trial) => ({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: chatUrl(trial), OPENAI_MODEL: trial.model }),
    command: (task) => ['qwen', '-y', '-p', task],
  },
  {
    name: 'Cline',
    wire: 'chat',
    package: { registry: 'npm', name: 'cline', version: '3.0.57' },
    run: (command) => ({ tool: 'run_commands', args: { commands: [command] } }),
    env: () => ({ CLINE_SESSION_BACKEND_MODE: 'local' }),
    prepare: (trial) => [
      ['cline', 'auth', '-p', 'openai', '-k', 'any', '-m', trial.model, '-b', chatUrl(trial)],
    ],
    command: (task) => ['cline', task],
  },
  {
    name: 'Continue',
    wire: 'chat',
    package: { registry: 'npm', name: '@continuedev/cli', version: '1.5.47' },
    run: (command) => ({ tool: 'Bash', args: { command } }),
    files: (trial) => ({
      [join(trial.home, 'config.yaml')]: `name: stepwise
version: 0.0.1
models:
  - name: scripted
    provider: openai
    model: ${trial.model}
    apiBase: ${chatUrl(trial)}
    apiKey: any
    capabilities: [tool_use]
    roles: [chat, edit]
`,
    }),
    command: (task, { home }) => ['cn', '--config', join(home, 'config.yaml'), '--allow', 'Bash', '-p', task],
  },
  {
    name: 'pi',
    wire: 'chat',
    package: { registry: 'npm', name: '@mariozechner/pi-coding-agent', version: '0.73.1' },
    run: (command) => ({ tool: 'bash', args: { command } }),
    files: (trial) => ({
      [join(trial.home, '.pi/agent/models.json')]: json({
        providers: {
          stepwise: {
            baseUrl: chatUrl(trial),
            api: 'openai-completions',
            apiKey: 'any',
            models: [{ id: trial.model }],
          },
        },
      }),
    }),
    command: (task, { model }) => ['pi', '--provider', 'stepwise', '--model', model, '-p', task],
  },
  {
    name: 'aider',
    wire: 'chat',
    package: { registry: 'pypi', name: 'aider-chat', version: '0.86.2' },
    env: (trial) => ({ OPENAI_API_BASE: chatUrl(trial), OPENAI_API_KEY: 'any' }),
    command: (task, { model }) => [
      'aider',
      ...['--model', `openai/${model}`, '--message', task, '--no-git', '--yes-always'],
      ...['--no-check-update', '--no-show-release-notes', '--analytics-disable', 'kettle.txt'],
    ],
  },
];
