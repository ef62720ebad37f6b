import { createRequire } from 'node:module';
import { z } from 'zod';

/** The package by its own name: the path to it differs between the built service and its tests. */
const packageJson: unknown = createRequire(import.meta.url)('stepwise/package.json');

/** The version of this package. */
export const { version } = z.object({ version: z.string() }).parse(packageJson);
