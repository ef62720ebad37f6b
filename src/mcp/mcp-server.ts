/** A program that speaks the Model Context Protocol on its standard input and output. */
export interface StdioServer {
  /** The program to start: a path, or a name that is searched for on `PATH`. */
  readonly command: string;
  /** Arguments of the program, passed without a shell. Default: none. */
  readonly args?: readonly string[] | undefined;
  /**
   * Environment variables of the server. Of this process's variables, it inherits only a few basic ones, such as
   * `HOME` and `PATH`.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Working directory, relative to the `folder` of `mcpTools`. Default: that folder. */
  readonly cwd?: string | undefined;
}

/** A server that is reached over HTTP. */
export interface HttpServer {
  /** `http` is streamable HTTP; `sse` is the older transport with two endpoints. Default: `http`. */
  readonly type?: 'http' | 'sse' | undefined;
  /** The URL of the endpoint, with `http:` or `https:`. */
  readonly url: string;
  /** Headers for every request. They are never sent to another origin. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How to start or reach a Model Context Protocol server. */
export type McpServer = StdioServer | HttpServer;

export const isStdio = (server: McpServer): server is StdioServer => 'command' in server;

/**
 * Returns the secret values in the settings of a server: all header values, passwords in URLs, and those query
 * parameters, arguments and environment variables whose names suggest a secret.
 */
export function secretsOf(server: McpServer): readonly string[] {
  const values = isStdio(server)
    ? [...secretsAmong(Object.entries(server.env ?? {})), ...secretsInArguments(server.args ?? [])]
    : [...Object.values(server.headers ?? {}), ...secretsIn(server.url)];
  return values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]) // as it is written, and within JSON
    .filter(isLongEnough)
    .sort((a, b) => b.length - a.length); // longest first, because one secret may begin with another
}

/**
 * Returns the secrets of a URL, both percent-encoded and decoded, because a server may repeat either form in a
 * message.
 */
function secretsIn(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { password, search, searchParams } = new URL(url);
  const written = search
    .slice(1)
    .split('&')
    .map((each) => each.split('=', 2));
  return [password, ...secretsAmong([...written, ...searchParams])];
}

/** Returns the secrets in arguments such as `--token x`, `--token=x`, `TOKEN=x` and `Authorization: Bearer x`. */
const secretsInArguments = (args: readonly string[]): readonly string[] =>
  args.flatMap((argument, index) => {
    const [option = ''] = /^-[\w-]+$/.exec(args[index - 1] ?? '') ?? [];
    const named = [...argument.matchAll(/([\w-]+)[=:]\s*(?=(.*))/gs)];
    const pairs = named.map(([, name = '', value = '']) => [name, value]);
    return [...secretsIn(argument), ...secretsAmong([[option, argument], ...pairs])];
  });

const secretsAmong = (given: readonly (readonly string[])[]): readonly string[] =>
  given.flatMap(([name = '', value = '']) => (secretName.test(name) ? value : []));

/**
 * Matches names of secret values. Values with other names, such as paths, may legitimately appear in the output of
 * a tool.
 */
const secretName = /key|token|secret|pass|auth|credential/i;

/** Minimum length of a secret. Shorter values would match unrelated text by chance. */
const MIN_SECRET_LENGTH = 8;
const isLongEnough = (value: string): boolean => value.length >= MIN_SECRET_LENGTH;

/** Redacts secrets in a text of a server, which may repeat them, for example in its error messages. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text);
