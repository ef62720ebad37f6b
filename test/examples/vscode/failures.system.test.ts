import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { listen } from '../../support/listen.js';
import { tokenFileOf, writeTokenFile } from '../../support/token-file.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { startWholeService, uuid } from '../../support/whole-service.js';
import { answering, ended, send, step } from './side-view.js';

const token = 'stepwise_in-the-editor-4c1f7e90b2d83a65';

describeWorkbench('a service that fails during a conversation in the extension', (suite) => {
  const trouble = ({ view }: Workbench) => view.getByRole('region', { name: 'Service' }).innerText();

  /** Discards Chromium's own console errors about failed requests. */
  const forgetNetworkErrors = () => {
    const rest = suite.troubles.splice(0).filter((each) => !/Failed to load|blocked by CORS/.test(each));
    suite.troubles.push(...rest);
  };

  test('the extension explains a revoked token and the service’s rate limit, and the run continues afterwards', async () => {
    const one = { token, name: 'editor', limits: { requestsAtOnce: 1 } };
    const tokens = writeTokenFile(one);
    const service = await startWholeService(undefined, {
      CORS_ORIGINS: suite.origin,
      AUTH_TOKENS_FILE: tokens,
    });
    try {
      const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': service.url } });
      await workbench.view.getByRole('button', { name: 'Set service token' }).click();
      await workbench.inputBox.fill(token);
      await workbench.inputBox.press('Enter');
      await workbench.view.getByRole('region', { name: 'Service' }).waitFor({ state: 'detached' });
      service.fake.script({ fault: 'silence' });
      const other = fetch(`${service.url}/api/agent/react_step`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(plainRequest),
      }).catch(() => undefined);
      await service.fake.request(service.fake.requests.length);
      await send(workbench, 'Beside another.');
      expect(await ended(workbench)).toContain(
        'Too many requests for the service. Ask again in 1 s to continue.',
      );
      expect(await step(workbench, 1).innerText()).toContain('Retrying in 1 s.');
      service.fake.script(answering('Never said.'));
      writeFileSync(tokens, tokenFileOf({ token: `${token}-next`, name: 'editor' }));
      await workbench.view.getByRole('button', { name: 'New task' }).click();
      await send(workbench, 'With a token of yesterday.');
      expect(await ended(workbench)).toContain('requires a token, or rejects yours');
      const end = workbench.view.getByRole('region', { name: 'End of the run' });
      await end.getByRole('button', { name: 'Set service token' }).click();
      await workbench.inputBox.fill(`${token}-next`);
      await workbench.inputBox.press('Enter');
      service.fake.script(answering('Known again.'));
      await send(workbench, 'And now?');
      await workbench.view.getByText('Known again.').waitFor();
      expect(service.log.join('\n')).not.toContain(token);
      await service.close();
      await other;
    } finally {
      await service.close().catch(() => undefined);
    }
    forgetNetworkErrors();
  });

  test('if the service is overloaded, the extension says so and asks to try again in a moment', async () => {
    const service = await startWholeService(undefined, { CORS_ORIGINS: suite.origin, MAX_IN_FLIGHT: '1' });
    try {
      const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': service.url } });
      service.fake.script({ fault: 'silence' });
      const other = fetch(`${service.url}/api/agent/react_step`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(plainRequest),
      }).catch(() => undefined);
      await service.fake.request(service.fake.requests.length);
      await send(workbench, 'Hurry.');
      expect(await ended(workbench)).toContain(
        'The service is overloaded. Ask again in a moment to continue.',
      );
      await service.close();
      await other;
    } finally {
      await service.close().catch(() => undefined);
    }
    forgetNetworkErrors();
  });

  test('a partial answer stays visible when the service dies, and the run continues when it is back', async () => {
    const wire = await startWire(suite.service.url);
    try {
      const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': wire.url } });
      const { view } = workbench;
      suite.service.fake.script({
        ...answering('A long answer that never comes to its end.'),
        chunkDelayMs: 300,
      });
      await send(workbench, 'Tell.');
      await view.getByText('I know').waitFor();
      await wire.cut();
      expect(await ended(workbench)).toContain('The service does not answer: start it with “stepwise serve”');
      expect(await trouble(workbench)).toContain(`No service answers at ${wire.url}.`);
      await wire.mend();
      suite.service.fake.script(answering('I am back.'));
      await view
        .getByRole('region', { name: 'Service' })
        .getByRole('button', { name: 'Check again' })
        .click();
      await view.getByRole('region', { name: 'Service' }).waitFor({ state: 'detached' });
      await send(workbench, 'Go on.');
      await view.getByText('I am back.').waitFor();
      expect(await step(workbench, 1).innerText()).toContain('I know');
    } finally {
      await wire.cut();
    }
    forgetNetworkErrors();
  });

  test('the extension shows steps of an older service, and asks to update it if a feature is missing', async () => {
    const older = await startOlderService(suite.origin);
    try {
      const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': older.url } });
      await send(workbench, 'Who are you?');
      expect(await ended(workbench)).toContain('Answered.');
      expect(await step(workbench, 1).innerText()).toContain('From long ago.');
      older.forgetsStreams();
      await send(workbench, 'And now?');
      const end = workbench.view.getByRole('region', { name: 'End of the run' });
      await end.getByText('The service is older than this extension: update it').waitFor();
    } finally {
      await older.close();
    }
    forgetNetworkErrors();
  });

  test('the extension names the invalid setting that prevents a run from starting', async () => {
    const workbench = await suite.open({ settings: { 'stepwise.tokenLimit': -5 } });
    await send(workbench, 'Fit.');
    expect(await ended(workbench)).toMatch(/could not be started: llmConfig\.tokenLimit: expected/);
  });
});

const plainRequest = {
  project_id: uuid,
  session_id: uuid,
  user_query: 'Wait.',
  conversation_history: [],
  llm_config: { modelName: 'scripted', provider: 'local', tokenLimit: 16_000, reservedOutputTokens: 1_000 },
  max_iterations_left: 5,
};

/** Starts a proxy in front of a service. The test can close the proxy and reopen it at the same address. */
async function startWire(target: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(new URL(target).port), '127.0.0.1');
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => undefined).on('close', () => sockets.delete(each));
    }
    socket.pipe(onward).pipe(socket);
  });
  const url = await listen(server);
  return {
    url,
    cut: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    mend: async () => {
      await once(server.listen(Number(new URL(url).port), '127.0.0.1'), 'listening');
    },
  };
}

/** Imitates an early version of the service whose steps have only the fields that the SDK requires. */
async function startOlderService(origin: string) {
  let hasStreams = true;
  const turn = { role: 'assistant', content: 'From long ago.' };
  const completed = {
    status: 'direct_response_provided',
    iterations_remaining: 3,
    direct_response: 'From long ago.',
    additional_actions: [],
    new_turns: [turn],
    updated_conversation_history: [turn],
  };
  const failed = {
    status: 'error',
    error: { code: 'not_found', message: 'There is no such path.', retryable: false, retry_after_ms: null },
  };
  const server = createHttpServer((request, response) => {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-headers', 'content-type, authorization, x-llm-api-key');
    const says = (status: number, type: string, text: string) =>
      response.writeHead(status, { 'content-type': type }).end(text);
    if (request.method === 'OPTIONS') return says(204, 'text/plain', '');
    if (request.url === '/api/agent/models')
      return says(200, 'application/json', '{ "models": [], "upstreams": [] }');
    if (!hasStreams) return says(404, 'application/json', JSON.stringify(failed));
    const event = JSON.stringify({ type: 'step.completed', step: completed });
    return says(200, 'text/event-stream', `data: ${event}\n\n`);
  });
  const url = await listen(server);
  return {
    url,
    forgetsStreams: () => {
      hasStreams = false;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
