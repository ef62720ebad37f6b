import { jest } from '@jest/globals';
import { exampleNamed } from '../../support/example.js';

jest.setTimeout(600_000);

/** A server of 200 MB is among what it needs. */
export const {
  folder: exampleFolder,
  dependencies,
  prepare: prepareExample,
} = exampleNamed('durable-restate');
