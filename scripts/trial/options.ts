import { parseArgs } from 'node:util';

export const usage = `npm run trial:model                                    fetches a model and its server, and starts them
npm run trial:model -- --url http://127.0.0.1:8000/v1  a server of yours that speaks Chat Completions
npm run trial:model -- --steps 4 --corrections 0 --runs 0 --recording some.json

--url URL          the server; it must take a schema as llama.cpp's does
--steps N          first steps in each protocol, with and without the example (24)
--corrections N    second steps in each protocol (20)
--runs N           runs through the CLI in each protocol (20)
--recording FILE   where to write what was tried; the page and its recording are left as they are

The first form needs python3 (3.10 or later) and a package registry; 300 MB are kept below node_modules/.cache. Without
--recording the page changes when everything was tried, so no count may be 0.`;

export interface TrialOptions {
  readonly url: string | undefined;
  readonly counts: { readonly steps: number; readonly corrections: number; readonly runs: number };
  readonly recording: string | undefined;
}

/** Throws on what cannot be meant, before anything is fetched. */
export function readOptions(args: string[]): TrialOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      help: { type: 'boolean', short: 'h' },
      url: { type: 'string' },
      steps: { type: 'string', default: '24' },
      corrections: { type: 'string', default: '20' },
      runs: { type: 'string', default: '20' },
      recording: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  const { url, recording, steps, corrections, runs } = values;
  const counts = {
    steps: toCount('--steps', steps),
    corrections: toCount('--corrections', corrections),
    runs: toCount('--runs', runs),
  };
  if (recording === undefined && Object.values(counts).includes(0))
    throw new Error('The page needs all of steps, corrections and runs: a part goes to a --recording.');
  if (url !== undefined && !(/^https?:/.test(url) && URL.canParse(url)))
    throw new Error(`--url must be an address such as http://127.0.0.1:8000/v1, not ${url}.`);
  return { url, counts, recording };
}

function toCount(option: string, value: string): number {
  if (/^\d{1,4}$/.test(value)) return Number(value);
  throw new Error(`${option} must be a number from 0 to 9999, not ${value}.`);
}
