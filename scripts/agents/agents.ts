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

/** A real agent: its package, its settings as users write them, and its tool that runs commands. */
export interface Agent {
  readonly name: string;
  readonly wire: 'chat' | 'responses' | 'messages';
  readonly packages: readonly string[];
  /**
   * The tool by which the agent runs a command, and the parameter for the command; undefined for an agent without
   * tools.
   */
  readonly shell: { readonly tool: string; readonly parameter: string } | undefined;
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
    packages: ['@openai/codex@0.171.0'],
    shell: { tool: 'exec_command', parameter: 'cmd' },
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
    packages: ['opencode-ai@1.18'],
    shell: { tool: 'bash', parameter: 'command' },
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
    packages: ['@anthropic-ai/claude-code@2.1'],
    shell: { tool: 'Bash', parameter: 'command' },
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
    packages: ['@qwen-code/qwen-code@0.24'],
    shell: { tool: 'run_shell_command', parameter: 'command' },
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
    packages: ['cline@3'],
    shell: { tool: 'execute_command', parameter: 'command' },
    env: () => ({ CLINE_SESSION_BACKEND_MODE: 'local' }),
    prepare: (trial) => [
      ['cline', 'auth', '-p', 'openai', '-k', 'any', '-m', trial.model, '-b', chatUrl(trial)],
    ],
    command: (task) => ['cline', task],
  },
  {
    name: 'Continue',
    wire: 'chat',
    packages: ['@continuedev/cli@1.5'],
    shell: { tool: 'Bash', parameter: 'command' },
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
    packages: ['@mariozechner/pi-coding-agent@0.73'],
    shell: { tool: 'bash', parameter: 'command' },
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
];
