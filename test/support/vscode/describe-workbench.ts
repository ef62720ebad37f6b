import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import { chromiumBrowser } from '../chromium.js';
import { exampleNamed } from '../example.js';
import { needs } from '../needs.js';
import type { WholeService } from '../whole-service.js';
import type { Workbench } from './workbench.js';
import { type OpenOptions, WorkbenchStack } from './workbench-stack.js';

/** What the tests of a suite share. */
export interface WorkbenchSuite {
  /** Opens a workbench of its own, which is closed after the test; the side view is in front. */
  open(options?: OpenOptions): Promise<Workbench>;
  /** The real service, which a fake provider answers. */
  readonly service: WholeService;
  /** Of the workbench and its extensions. */
  readonly origin: string;
  /** What went wrong on the pages that nobody asked about. A test that expects some takes it out. */
  readonly troubles: string[];
}

const example = exampleNamed('vscode');
/** Generous, since the suites share the processor with others. */
const TEST_TIMEOUT_MS = 600_000;

/**
 * A suite in real VS Code, in Chromium, with our extension and the real service. Whatever a test looks at:
 * no error, no violation of a policy, no request to another origin may have happened.
 */
export function describeWorkbench(title: string, tests: (suite: WorkbenchSuite) => void): void {
  needs(chromiumBrowser, example.dependencies).describe(title, () => {
    jest.setTimeout(TEST_TIMEOUT_MS);
    const stack = new WorkbenchStack();
    beforeAll(async () => {
      await example.prepare();
      await stack.start();
    }, 300_000);
    afterAll(() => stack.close());
    afterEach(async () => {
      await stack.closePages();
      expect(stack.troubles.splice(0)).toEqual([]);
    });
    tests(stack);
  });
}
