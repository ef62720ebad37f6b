/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A real agent. Its settings and commands are those of its section in docs/use-it-with-your-agent.md. */
export interface Agent {
  /** Heading of the agent's section in docs/use-it-with-your-agent.md. */
  readonly name: string;
  readonly wire: 'chat' | 'responses' | 'messages';
  readonly package: { readonly registry: 'npm' | 'pypi'; readonly name: string; readonly version: string };
  /**
   * Returns the tool call that makes the agent run a shell command; absent for an agent that edits files without tools.
   */
  run?(command: string): Call;
}

export const agents: readonly Agent[] = [
  {
    name: 'Codex',
    wire: 'responses',
    package: { registry: 'npm', name: '@openai/codex', version: '0.171.0' },
    run: (command) => ({ tool: 'exec_command', args: { cmd: command } }),
  },
  {
    name: 'opencode',
    wire: 'chat',
    package: { registry: 'npm', name: 'opencode-ai', version: '1.18.33' },
    run: (command) => ({ tool: 'bash', args: { command } }),
  },
  {
    name: 'Claude Code',
    wire: 'messages',
    package: { registry: 'npm', name: '@anthropic-ai/claude-code', version: '2.1.332' },
    run: (command) => ({ tool: 'Bash', args: { command } }),
  },
  {
    name: 'Qwen Code',
    wire: 'chat',
    package: { registry: 'npm', name: '@qwen-code/qwen-code', version: '0.24.4' },
    run: (command) => ({ tool: 'run_shell_command', args: { command } }),
  },
  {
    name: 'Cline',
    wire: 'chat',
    package: { registry: 'npm', name: 'cline', version: '3.0.65' },
    run: (command) => ({ tool: 'run_commands', args: { commands: [command] } }),
  },
  {
    name: 'Continue',
    wire: 'chat',
    package: { registry: 'npm', name: '@continuedev/cli', version: '1.5.47' },
    run: (command) => ({ tool: 'Bash', args: { command } }),
  },
  {
    name: 'pi',
    wire: 'chat',
    package: { registry: 'npm', name: '@earendil-works/pi-coding-agent', version: '1.6.0' },
    run: (command) => ({ tool: 'bash', args: { command } }),
  },
  {
    name: 'aider',
    wire: 'chat',
    package: { registry: 'pypi', name: 'aider-chat', version: '0.86.2' },
  },
];
