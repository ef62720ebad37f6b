/** A server-sent event: its name and its data. */
export interface SentEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what they expect
  readonly data: any;
}

/** Returns the events of a complete stream, without comment lines. */
export function readEvents(text: string): SentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event = '', data = ''] = block.split('\n');
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
}
