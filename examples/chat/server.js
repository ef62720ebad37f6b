import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { StepwiseClient, toResponse } from 'stepwise';

const { STEPWISE_URL = 'http://127.0.0.1:8080', STEPWISE_LLM_KEY, PORT = '3000' } = process.env;
const { MODEL = 'offline', PROVIDER } = process.env;
const client = new StepwiseClient({ baseUrl: STEPWISE_URL, llmKey: STEPWISE_LLM_KEY });
const sdk = new URL('..', import.meta.resolve('stepwise'));

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const { task, history } = await json(request);
    const run = client.run(task, {
      llmConfig: { modelName: MODEL, provider: PROVIDER },
      clientTools: [],
      history,
    });
    const { headers, body } = toResponse(run);
    Readable.fromWeb(body).pipe(response.setHeaders(headers));
    response.on('close', () => run.stop());
    return;
  }
  const isScript = /^\/(?:[\w-]+\/)*[\w-]+\.js$/.test(request.url);
  const file = isScript ? new URL(`.${request.url}`, sdk) : new URL('index.html', import.meta.url);
  const text = await readFile(file).catch(() => '');
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8').end(text);
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
