import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { agents } from '../../scripts/agents/agents.js';
import { pageUrl, readInstructions, readUpstreams } from '../../scripts/agents/page.js';
import { readConfig } from '../../src/service/config.js';
import { blocks } from '../support/document-snippets.js';

const page = readFileSync('docs/use-it-with-your-agent.md', 'utf8');
const wires = { chat: 'Chat Completions', responses: 'Responses', messages: 'Messages' };

describe('the page "Use it with your agent"', () => {
  test('starts the service with settings that it accepts, at its default address', () => {
    const config = readConfig({ UPSTREAMS: readUpstreams(page) });
    expect(pageUrl).toBe(`http://${config.HOST}:${config.PORT}`);
  });

  test('starts the service like the README, over the same server and upstream', () => {
    const [, started = ''] = /UPSTREAMS='(.*)' npm start/.exec(readFileSync('README.md', 'utf8')) ?? [];
    const { local: ofReadme } = readConfig({ UPSTREAMS: started }).UPSTREAMS;
    const { local: ofPage } = readConfig({ UPSTREAMS: readUpstreams(page) }).UPSTREAMS;
    expect(ofReadme).toMatchObject({ url: ofPage?.url });
  });

  test('lists the checked agents with their packages, versions and APIs', () => {
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

  test.each(agents)('gives the settings and the command of $name', ({ name }) => {
    const { files, scripts } = readInstructions(name, page);
    const lines = [...Object.values(files), ...scripts].join('');
    expect(lines).toContain(pageUrl);
    expect(lines).toContain('local/qwen3:8b');
    expect(scripts.at(-1)).toContain('"…"');
  });

  test('has valid JSON in all its settings', () => {
    const settings = blocks(page, 'json');
    expect(settings.length).toBeGreaterThan(3);
    for (const each of settings) expect(() => JSON.parse(each)).not.toThrow();
  });

  test('is read without leaving out a settings block', () => {
    const unnamed = '## Codex\n\nSome text.\n\n```toml\nmodel = "m"\n```\n';
    expect(() => readInstructions('Codex', unnamed)).toThrow('a block of Codex has no path above it');
  });
});
