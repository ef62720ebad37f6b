type Wire = 'chat' | 'responses' | 'messages';

/** A client library, or another program that sends requests. */
export interface Sdk {
  readonly name: string;
  readonly registry: 'npm' | 'pypi';
  /** File name of the library's test program in `scripts/sdks/programs`. */
  readonly program: string;
  readonly conversations: readonly Conversation[];
}

export interface Conversation {
  /** Name of the conversation in the program. */
  readonly name: string;
  readonly isStreamed: boolean;
  /** True if the service must refuse the request. */
  readonly isRefused: boolean;
}

/** Packages to install from each registry, in fixed versions. */
export const packages = {
  npm: [
    'openai@7.59.0',
    '@anthropic-ai/sdk@1.14.0',
    'ai@7.0.173',
    '@ai-sdk/openai-compatible@3.0.92',
    '@ai-sdk/open-responses@2.0.36',
    '@ai-sdk/anthropic@4.0.105',
    '@openai/agents@0.20.0',
  ],
  pypi: [
    'openai==3.57.0',
    'anthropic==2.14.0',
    'langchain-openai==1.7.4',
    'pydantic-ai-slim[openai,anthropic]==2.68.0',
    'litellm==1.110.2',
    'openresponses-types==2.4.0',
  ],
} as const;

/**
 * npm package of the Node.js that runs the npm libraries, because some of them need a newer one than the service does.
 */
export const node = 'node@22.23.3';

const conversationsNamed = (...names: readonly string[]): Conversation[] =>
  names.map((name) => ({ name, isStreamed: name.endsWith('streamed'), isRefused: name.endsWith('refused') }));

const plainAndStreamed = (...wires: readonly Wire[]): Conversation[] =>
  conversationsNamed(...wires.flatMap((wire) => [wire, `${wire}, streamed`]));

export const sdks: readonly Sdk[] = [
  {
    name: 'openai',
    registry: 'npm',
    program: 'openai.mjs',
    conversations: plainAndStreamed('chat', 'responses'),
  },
  {
    name: '@anthropic-ai/sdk',
    registry: 'npm',
    program: 'anthropic.mjs',
    conversations: plainAndStreamed('messages'),
  },
  {
    name: 'ai',
    registry: 'npm',
    program: 'ai.mjs',
    conversations: plainAndStreamed('chat', 'responses', 'messages'),
  },
  {
    name: '@openai/agents',
    registry: 'npm',
    program: 'openai-agents.mjs',
    conversations: plainAndStreamed('chat', 'responses'),
  },
  {
    name: 'openai',
    registry: 'pypi',
    program: 'openai_sdk.py',
    conversations: plainAndStreamed('chat', 'responses'),
  },
  {
    name: 'anthropic',
    registry: 'pypi',
    program: 'anthropic_sdk.py',
    conversations: plainAndStreamed('messages'),
  },
  {
    name: 'langchain-openai',
    registry: 'pypi',
    program: 'langchain_sdk.py',
    conversations: plainAndStreamed('chat', 'responses'),
  },
  {
    name: 'pydantic-ai',
    registry: 'pypi',
    program: 'pydantic_ai_sdk.py',
    conversations: plainAndStreamed('chat', 'responses', 'messages'),
  },
  {
    name: 'litellm',
    registry: 'pypi',
    program: 'litellm_sdk.py',
    conversations: plainAndStreamed('chat', 'responses', 'messages'),
  },
  {
    name: 'openresponses-types',
    registry: 'pypi',
    program: 'compliance.py',
    conversations: conversationsNamed(
      'text',
      'text, streamed',
      'system prompt',
      'tool call',
      'tool call, streamed',
      'image',
      'several turns',
      'server state refused',
    ),
  },
];
