import type { FileHandle } from 'node:fs/promises';
import { ToolError } from '../sdk/actions/tool-errors.js';
import type { ProjectRoot } from './project-root.js';
import { toToolError } from './system-failure.js';

/** In bytes. What is larger is not source code, and a sparse file can claim any size. */
const maxFileBytes = 8 * 1024 * 1024;
const binaryProbeBytes = 8192;

/** The text of a file inside the root. Throws `ToolError` for binary and for huge files. */
export async function readText(root: ProjectRoot, path: string): Promise<string> {
  const handle = await root.openFile(path);
  try {
    return decode(await readCapped(handle, path), path);
  } catch (error) {
    throw toToolError(error, path);
  } finally {
    await handle.close();
  }
}

/** Reads as much as the file said it has; what is appended meanwhile is not waited for. */
async function readCapped(handle: FileHandle, path: string): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > maxFileBytes) throw new ToolError(`"${path}" is too large to read: ${size} bytes.`);
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function decode(bytes: Buffer, path: string): string {
  if (bytes.subarray(0, binaryProbeBytes).includes(0)) throw new ToolError(`"${path}" is a binary file.`);
  return bytes.toString('utf8');
}
