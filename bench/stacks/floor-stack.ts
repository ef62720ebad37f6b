import { buffer } from 'node:stream/consumers';
import { Agent } from 'undici';
import { listen } from './listen.js';

/**
 * The least that Node can do: `/echo` reads a JSON body and writes it again; anything else is passed on through undici,
 * as bytes both ways.
 */
export async function startFloorStack(upstreamUrl: string): Promise<string> {
  const agent = new Agent({ keepAliveTimeout: 60_000 });
  return listen(async (request, response) => {
    const body = await buffer(request);
    if (request.url === '/echo') {
      response.end(JSON.stringify(JSON.parse(body.toString())));
      return;
    }
    const answer = await agent.request({
      origin: upstreamUrl,
      path: request.url ?? '/',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: request.headers.authorization },
      body,
    });
    response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) });
    answer.body.pipe(response);
  });
}
