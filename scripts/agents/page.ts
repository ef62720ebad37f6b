import { readFileSync } from 'node:fs';

const pagePath = 'docs/use-it-with-your-agent.md';
/** Address of the service in the examples of docs/use-it-with-your-agent.md. */
export const pageUrl = 'http://127.0.0.1:8080';

/** An agent's settings files and commands, exactly as docs/use-it-with-your-agent.md shows them. */
export interface Instructions {
  /** Content of each settings file by its path. A path may begin with `~`; others are relative to the project. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell scripts in the order of the page. `"…"` stands for the task, `FILE` for a file of the project. */
  readonly scripts: readonly string[];
}

/** Returns the value of `UPSTREAMS` in the page's command that starts the service. */
export function readUpstreams(page = readFileSync(pagePath, 'utf8')): string {
  const [, upstreams] = /^UPSTREAMS='(.*)' npm start$/m.exec(page) ?? [];
  if (upstreams === undefined) throw new Error(`${pagePath} has no command that starts the service`);
  return upstreams;
}

/**
 * Reads the page's section with this heading. A code block in `sh` is a script. Any other code block is a file; its
 * path begins the paragraph above it. Throws if the section is missing or if a file has no path.
 */
export function readInstructions(name: string, page = readFileSync(pagePath, 'utf8')): Instructions {
  const section = sectionOf(name, page);
  const files: Record<string, string> = {};
  const scripts: string[] = [];
  for (const { 1: language, 2: body = '', index } of section.matchAll(block)) {
    if (language === 'sh') {
      scripts.push(body);
      continue;
    }
    const paragraph = section.slice(0, index).trimEnd().split('\n\n').at(-1) ?? '';
    const [, path] = /^`([^`]+)`/.exec(paragraph) ?? [];
    if (path === undefined) throw new Error(`${pagePath}: a block of ${name} has no path above it`);
    files[path] = body;
  }
  return { files, scripts };
}

/** Returns the example programs in the page's section about SDKs. */
export function readPrograms(
  page = readFileSync(pagePath, 'utf8'),
): { readonly language: string; readonly text: string }[] {
  return [...sectionOf('SDKs', page).matchAll(block)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

const block = /^```(\w+)\n(.*?)^```$/gms;

function sectionOf(name: string, page: string): string {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${name}\n`));
  if (section === undefined) throw new Error(`${pagePath} has no section ${name}`);
  return section;
}
