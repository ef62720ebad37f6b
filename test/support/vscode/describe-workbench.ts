import { afterAll, afterEach, beforeAll, expect, jest } from '@jest/globals';
import { chromiumBrowser } from '../chromium.js';
import { exampleNamed } from '../example.js';
import { needs } from '../needs.js';
import type { WholeService } from '../whole-service.js';
import type { Workbench } from './workbench.js';
import { type OpenOptions, WorkbenchStack } from './workbench-stack.js';

/** Everything that the tests of a suite share. */
export interface WorkbenchSuite {
  /** Opens a separate workbench, with the side view visible. It is closed after the test. */
  open(options?: OpenOptions): Promise<Workbench>;
  /** The real service with a fake provider. */
  readonly service: WholeService;
  /** Origin of the workbench and its extensions. */
  readonly origin: string;
  /** Unexpected problems on the pages. A test that expects some of them removes these. */
  readonly troubles: string[];
}

const example = exampleNamed('vscode');
/** This limit is generous, because the suites share the processor with others. */
const TEST_TIMEOUT_MS = 600_000;

/**
 * Runs a suite in VS Code for the web in Chromium, with our extension and the real service. Each test also fails
 * on errors, policy violations and requests to other origins.
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
