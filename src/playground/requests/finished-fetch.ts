/**
 * Works like `fetch`, but the developer tools of Chromium show the request as finished once its body has been read.
 * Without a copy of the body, they show a streamed response with `Cache-Control: no-store` as aborted even if it was
 * read to its end. The copy is never read; the signal aborts the response and its copy.
 */
export const finishedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  response.clone();
  return response;
};
