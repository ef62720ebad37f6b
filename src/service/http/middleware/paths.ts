/** Whether a path belongs to the compatible endpoints (rule: compatible-wires). */
export const isOfWire = (path: string): boolean => /^\/v1(?:\/|$)/.test(path);

/** Whether a path belongs to an API, whose answers are data and never stored. */
export const isOfApi = (path: string): boolean => path.startsWith('/api/') || isOfWire(path);
