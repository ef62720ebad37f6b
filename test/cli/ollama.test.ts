import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { ollamaModels } from '../../src/cli/session/ollama.js';
import { listen } from '../support/listen.js';

async function modelsOf(body: string): Promise<readonly string[]> {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.end(body);
  });
  const url = await listen(server);
  try {
    return await ollamaModels(url);
  } finally {
    server.closeAllConnections();
    server.close();
    expect(paths).toEqual(['/api/tags']);
  }
}

test.each([
  ['{"models":[{"name":"qwen3:8b","size":1},{"name":"llama3.2:3b"}]}', ['qwen3:8b', 'llama3.2:3b']],
  ['{"models":[]}', []],
  ['{"models":[null,{},{"name":7}]}', []],
  ['{"models":7}', []],
  ['[]', []],
  ['null', []],
  ['<html>', []],
])('the Ollama reply %s gives the model names %j (rule: terminal)', async (body, names) => {
  expect(await modelsOf(body)).toEqual(names);
});

test('no models are listed if no Ollama server answers (rule: terminal)', async () => {
  expect(await ollamaModels('http://127.0.0.1:1')).toEqual([]);
});
