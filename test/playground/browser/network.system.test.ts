import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describePlayground } from '../../support/playground.js';
import { until } from '../../support/until.js';

/** Records how the streamed requests of a page end, as the browser's developer tools show it. */
async function watchStreams(page: Page) {
  const tools = await page.context().newCDPSession(page);
  const started = new Set<string>();
  const finished = new Set<string>();
  const failed = new Set<string>();
  tools.on('Network.requestWillBeSent', ({ requestId, request: { url } }) => {
    if (url.endsWith('/stream')) started.add(requestId);
  });
  tools.on('Network.loadingFinished', ({ requestId }) => void finished.add(requestId));
  // Only streams are recorded, because the page itself aborts a preview when it requests a newer one.
  tools.on(
    'Network.loadingFailed',
    ({ requestId }) => void (started.has(requestId) && failed.add(requestId)),
  );
  await tools.send('Network.enable');
  const areOver = () => [...started].every((id) => finished.has(id) || failed.has(id));
  const ended = () => until(() => started.size > 0 && areOver());
  return { started, failed, ended };
}

describePlayground('state of streams in the browser’s network log (rule: stream-events)', (playground) => {
  test('finished streams of a run do not appear as aborted', async () => {
    const streams = await watchStreams(playground.page);
    await playground.button('Run').click();
    await playground.ended();
    await streams.ended();
    expect(streams.started.size).toBeGreaterThan(2);
    expect([...streams.failed]).toEqual([]);
  });

  test('a stream that ends with an error event does not appear as aborted', async () => {
    await playground.script({
      fault: 'cut',
      completion: { text: 'Thought: I write the first of many words.' },
    });
    const streams = await watchStreams(playground.page);
    await playground.run('Fail, please.');
    await playground.ended();
    await streams.ended();
    expect([...streams.failed]).toEqual([]);
  });

  test('a stream that the person stops appears as aborted', async () => {
    await playground.script({ fault: 'silence' });
    const streams = await watchStreams(playground.page);
    await playground.run('Wait for ever.');
    await until(() => streams.started.size === 1);
    await playground.button('Stop').click();
    await playground.ended();
    await streams.ended();
    expect([...streams.failed]).toEqual([...streams.started]);
  });
});
