/** A program that speaks the Model Context Protocol on its standard input and output. */
export interface StdioServer {
  /** The program: a path, or a name that is found on `PATH`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** All that it finds in its environment beside `HOME`, `PATH` and the like. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The folder it runs in, relative to that of `mcpTools`; default: that one. */
  readonly cwd?: string | undefined;
}

/** A server at an address. */
export interface HttpServer {
  /** `http`: streamable HTTP. `sse`: the two endpoints of the protocol before it. Default `http`. */
  readonly type?: 'http' | 'sse' | undefined;
  /** Its endpoint, `http:` or `https:`. */
  readonly url: string;
  /** Sent with every request to this origin, and to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Where a server of the Model Context Protocol is. */
export type McpServer = StdioServer | HttpServer;

export const isStdio = (server: McpServer): server is StdioServer => 'command' in server;

/**
 * What a server is given that nobody else is to see: its headers, the password in its address, and of the query there and of
 * its environment what is called like a secret.
 */
export function secretsOf(server: McpServer): readonly string[] {
  const values = isStdio(server)
    ? secretsAmong(Object.entries(server.env ?? {}))
    : [...Object.values(server.headers ?? {}), ...secretsIn(server.url)];
  return values.flatMap((value) => [value, ...value.split(/\s+/)]).filter(isLongEnough);
}

/** As they are written there, and as the server reads them. */
function secretsIn(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { password, search, searchParams } = new URL(url);
  const written = search
    .slice(1)
    .split('&')
    .map((each) => each.split('=', 2));
  return [password, ...secretsAmong([...written, ...searchParams])];
}

const secretsAmong = (given: readonly (readonly string[])[]): readonly string[] =>
  given.flatMap(([name = '', value = '']) => (secretName.test(name) ? value : []));

/** All else, such as a path, may well stand in what a tool says. */
const secretName = /key|token|secret|pass|auth|credential/i;

/** What is shorter stands in many a text by chance. */
const SHORTEST_SECRET = 8;
const isLongEnough = (value: string): boolean => value.length >= SHORTEST_SECRET;

/** A server may repeat what it was given, in its errors above all. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text);
