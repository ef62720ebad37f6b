/** All metrics of a service at one moment. */
export interface Scrape {
  readonly text: string;
  /** Names of the metrics, each with its labels. */
  readonly series: readonly string[];
  /** Name, type and labels of each of the service's own metrics. */
  readonly metrics: ReadonlyMap<string, { readonly type: string; readonly labels: readonly string[] }>;
  /** Returns the sum of all series with this name and these labels; 0 if there is no such series. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

export async function scrape(url: string, headers: Record<string, string> = {}): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics responded with ${response.status}: ${text}`);
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(readSample);
  return {
    text,
    series: samples.map(({ series }) => series),
    metrics: readMetrics(text, samples),
    sum: (name, labels = {}) =>
      samples
        .filter((each) => each.name === name)
        .filter((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

type Sample = ReturnType<typeof readSample>;

function readSample(line: string) {
  const [, series = '', name = '', labels = '', value = ''] = /^((\w+)(?:\{(.*)\})?) (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`This line is not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]);
  return { series, name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
}

function readMetrics(text: string, samples: readonly Sample[]): Scrape['metrics'] {
  const types = [...text.matchAll(/^# TYPE (stepwise_\w+) (\w+)$/gm)];
  return new Map(
    types.map(([, name = '', type = '']) => {
      const own = samples.filter((each) => each.name.replace(/_(?:bucket|sum|count)$/, '') === name);
      const exact = samples.filter((each) => each.name === name);
      const labels = [...own, ...exact].flatMap((each) => Object.keys(each.labels));
      return [name, { type, labels: [...new Set(labels)].filter((label) => label !== 'le') }];
    }),
  );
}
