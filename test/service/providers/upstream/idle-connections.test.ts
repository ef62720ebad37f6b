import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { listen } from '../../../support/listen.js';
import { ask, connect, directoryAt } from '../../../support/providers/requests.js';

const CALLS = 20;
const PAUSE_MS = 4;

const answer = JSON.stringify({
  choices: [{ message: { content: 'Final Answer: yes' }, finish_reason: 'stop' }],
});

test('a request is never sent on a connection that the provider has closed', async () => {
  // Closes the connection after each response without announcing it.
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': answer.length,
      });
      for (const character of answer.match(/.{1,20}/gu) ?? []) {
        response.write(character);
        await sleep(2);
      }
      response.socket?.end();
    });
  });
  const provider = connect(directoryAt(await listen(server)), 'gpt-4o');
  for (let call = 0; call < CALLS; call += 1) {
    expect((await ask(provider, { model: 'gpt-4o', streamed: false })).text).toBe('Final Answer: yes');
    await sleep(PAUSE_MS);
  }
  server.close();
});
