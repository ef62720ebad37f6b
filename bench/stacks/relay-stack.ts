import express from 'express';
import OpenAI from 'openai';
import { listen } from './listen.js';

/**
 * Starts a minimal relay. It passes each request, with the caller's key, to a vendor through the vendor's SDK,
 * without counting, context or parsing.
 */
export async function startRelayStack(upstreamUrl: string): Promise<string> {
  const app = express();
  app.use(express.json({ limit: '4mb' }));
  app.post('/v1/chat/completions', async (request, response) => {
    const apiKey = request.get('authorization')?.slice('Bearer '.length) ?? '';
    const client = new OpenAI({ apiKey, baseURL: `${upstreamUrl}/v1`, maxRetries: 0 });
    const body: OpenAI.ChatCompletionCreateParams = request.body;
    if (!body.stream) {
      response.json(await client.chat.completions.create(body));
      return;
    }
    const chunks = await client.chat.completions.create(body);
    response.type('text/event-stream');
    for await (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  return listen(app);
}
