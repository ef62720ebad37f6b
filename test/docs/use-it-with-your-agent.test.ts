import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { agents } from '../../scripts/agents/agents.js';
import { pageUrl, readInstructions, readUpstreams } from '../../scripts/agents/page.js';
import { readConfig } from '../../src/service/settings/config.js';
import { blocks } from '../support/document-snippets.js';

const page = readFileSync('docs/use-it-with-your-agent.md', 'utf8');
const wires = { chat: 'Chat Completions', responses: 'Responses', messages: 'Messages' };

describe('the page "Use it with your agent"', () => {
  test('the agents page starts the service with settings that it accepts, at its default address', () => {
    const config = readConfig({ UPSTREAMS: readUpstreams(page) });
    expect(pageUrl).toBe(`http://${config.HOST}:${config.PORT}`);
  });

  test('the agents page and the README start the service with the same upstream', () => {
    const [, started = ''] = /UPSTREAMS='(.*)' npm start/.exec(readFileSync('README.md', 'utf8')) ?? [];
    const { local: ofReadme } = readConfig({ UPSTREAMS: started }).UPSTREAMS;
    const { local: ofPage } = readConfig({ UPSTREAMS: readUpstreams(page) }).UPSTREAMS;
    expect(ofReadme).toMatchObject({ url: ofPage?.url });
  });

  test('the agents page lists the checked agents with their packages, versions and APIs', () => {
    const rows = [...page.matchAll(/^\| \[(.+?)\]\(#.+?\) \| `(.+?)` \| (.+?) \| (.+?) \| [\d,]+ \|$/gm)];
    expect(rows.map(([, ...cells]) => cells)).toEqual(
      agents.map(({ name, package: { registry, name: id, version }, wire }) => [
        name,
        `${registry === 'npm' ? 'npm install -g' : 'pip install'} ${id}`,
        version,
        wires[wire],
      ]),
    );
  });

  test.each(agents)('the agents page gives the settings and the command of $name', ({ name }) => {
    const { files, scripts } = readInstructions(name, page);
    const lines = [...Object.values(files), ...scripts].join('');
    expect(lines).toContain(pageUrl);
    expect(lines).toContain('local/qwen3:8b');
    expect(scripts.at(-1)).toContain('"…"');
  });

  test('the JSON settings on the agents page are valid', () => {
    const settings = blocks(page, 'json');
    expect(settings.length).toBeGreaterThan(3);
    for (const each of settings) expect(() => JSON.parse(each)).not.toThrow();
  });

  test('readInstructions throws for a settings block without a path instead of leaving it out', () => {
    const unnamed = '## Codex\n\nSome text.\n\n```toml\nmodel = "m"\n```\n';
    expect(() => readInstructions('Codex', unnamed)).toThrow('a block of Codex has no path above it');
  });
});
