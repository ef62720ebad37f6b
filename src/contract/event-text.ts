/** Returns an event as it is sent in a stream of server-sent events. */
export const eventText = <Event extends { readonly type: string }>(event: Event): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
