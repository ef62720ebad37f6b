import { readFile } from 'node:fs/promises';
import { isObject } from '../../conversation/is-object.js';
import type { JsonSchema } from '../../sdk/base/standard-schema.js';
import { UsageError } from '../commands/usage.js';

/** Reads the file of `--answer-schema`; undefined without one. Throws `UsageError` if it holds no JSON Schema. */
export async function readAnswerSchema(file: string | undefined): Promise<JsonSchema | undefined> {
  if (file === undefined) return undefined;
  const schema: unknown = await parseFile(file);
  if (isObject(schema)) return schema;
  throw new UsageError(`--answer-schema: ${file} must hold a JSON Schema, which is a JSON object.`);
}

async function parseFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--answer-schema: ${file} cannot be read (${error.code}).`);
  });
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new UsageError(`--answer-schema: ${file} is not JSON.`);
  }
}
