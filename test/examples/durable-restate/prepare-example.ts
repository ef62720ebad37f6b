import { jest } from '@jest/globals';
import { exampleNamed } from '../../support/example.js';

jest.setTimeout(600_000);

/** Installing this example downloads a Restate server of 200 MB. */
export const {
  folder: exampleFolder,
  dependencies,
  prepare: prepareExample,
} = exampleNamed('durable-restate');
