import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Environment variable with the path of a file to which tests append what they skip: one JSON object per line. */
export const SKIPS_FILE = 'STEPWISE_TEST_SKIPS_FILE';

export interface Skip {
  readonly suite: string;
  readonly name: string;
  readonly reason: string;
}

interface Results {
  readonly testResults: readonly { readonly testFilePath: string }[];
}
interface Options {
  readonly rootDir: string;
  readonly nonFlagArgs: readonly string[];
}

/** A Jest reporter that prints, at the end, which suites were skipped and why. */
export default class SkipReporter {
  readonly #options: Options;
  readonly #folder = mkdtempSync(join(tmpdir(), 'stepwise-skips-'));

  constructor(options: Options) {
    this.#options = options;
    // The workers of Jest inherit this variable; `needs` in a worker appends to the file.
    process.env[SKIPS_FILE] = join(this.#folder, 'skips');
  }

  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    const files = testResults.map(({ testFilePath }) => testFilePath);
    const lines = [...this.#skipped(), ...this.#notRun(files)];
    rmSync(this.#folder, { recursive: true });
    // The lines are printed at exit, because Jest prints its own summary after the reporters.
    process.on('exit', () => process.stderr.write(lines.map((line) => `${line}\n`).join('')));
  }

  /** Returns one line for each need that this machine does not meet. */
  #skipped(): string[] {
    const file = join(this.#folder, 'skips');
    if (!existsSync(file)) return [];
    const skips = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): Skip => JSON.parse(line));
    const needs = [...new Set(skips.map(needOf))].sort();
    return needs.map((need) => {
      const files = skips.filter((skip) => needOf(skip) === need).map(({ suite }) => suite);
      const suites = [...new Set(files.map((file) => this.#nameOf(file)))].sort();
      return `Skipped: ${count(suites.length, 'suite needs', 'suites need')} ${need}: ${suites.join(', ')}`;
    });
  }

  /** Returns a reminder of the system suites if the run consisted of all other suites, as `npm test` does. */
  #notRun(files: readonly string[]): string[] {
    if (this.#options.nonFlagArgs.length > 0 || files.some(isSystemSuite)) return [];
    const all = readdirSync(join(this.#options.rootDir, '.build/test'), {
      recursive: true,
      encoding: 'utf8',
    });
    const number = all.filter(isSystemSuite).length;
    return [
      `Not run: ${number} suites that start browsers, servers or compilers. npm run test:all runs them too.`,
    ];
  }

  #nameOf(file: string): string {
    return relative(join(this.#options.rootDir, '.build'), file).replace(/\.js$/, '.ts');
  }
}

const needOf = ({ name, reason }: Skip): string => `${name} (${reason})`;

const isSystemSuite = (file: string): boolean => file.endsWith('.system.test.js');

const count = (number: number, singular: string, plural: string): string =>
  `${number} ${number === 1 ? singular : plural}`;
