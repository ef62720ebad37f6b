/** Path of the stream of all steps (rule: watch). */
export const watchPath = '/api/agent/watch';

/** Returns whether a path belongs to the compatible endpoints (rule: compatible-wires). */
export const isOfWire = (path: string): boolean => /^\/v1(?:\/|$)/.test(path);

/** Returns whether a path belongs to an API. Responses of an API are data that must not be cached. */
export const isOfApi = (path: string): boolean => path.startsWith('/api/') || isOfWire(path);
