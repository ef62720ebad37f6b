import { exampleNamed } from '../../support/example.js';

/** Installing this example downloads a Restate server of 200 MB. */
export const { folder: exampleFolder, canRun, prepare: prepareExample } = exampleNamed('durable-restate');
