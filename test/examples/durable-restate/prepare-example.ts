import { exampleNamed } from '../../support/example.js';

/** A server of 200 MB is among what it needs. */
export const { folder: exampleFolder, canRun, prepare: prepareExample } = exampleNamed('durable-restate');
