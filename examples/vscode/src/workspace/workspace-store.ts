import { ToolError } from 'stepwise';
import type { FileEntry, FileStore, StoredChange, StoredFile } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import { changedSpan } from './changed-span.js';
import type { WorkspaceRoots } from './workspace-roots.js';

/** Maximum file size in bytes: the editor's API cannot read parts of a file, so larger files are not read. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Adapts the workspace to the SDK's file tools. Reads unsaved text from open editors. Follows no links, not even in
 * parent folders.
 */
export function workspaceStore(roots: WorkspaceRoots): FileStore {
  return {
    typeOf: (path) => typeOf(roots, path),
    list: (path) => list(roots, path),
    open: async (path) => open(await placeOf(roots, path)),
    write: async (path, change) => {
      const type = await typeOf(roots, path);
      const uri = roots.locate(path);
      if (!uri) throw new Error('There is no such folder in the workspace.');
      await (type === undefined ? create(uri, change) : replace(uri, change));
    },
  };
}

async function typeOf(roots: WorkspaceRoots, path: string): Promise<FileEntry['type'] | undefined> {
  if (path === '.') return 'folder';
  const parts = path.split('/');
  for (const index of parts.keys()) {
    const uri = roots.locate(parts.slice(0, index + 1).join('/'));
    const type = uri && (await typeAt(uri));
    if (type === undefined || index === parts.length - 1) return type;
    if (type !== 'folder') throw new Error('The parent path is not a folder.');
  }
  return undefined;
}

async function typeAt(uri: vscode.Uri): Promise<FileEntry['type'] | undefined> {
  try {
    return entryType((await vscode.workspace.fs.stat(uri)).type);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

/**
 * Maps the editor's file type. The type of a symbolic link has a bit of its own in addition to that of its target, so
 * the result is `other`.
 */
function entryType(type: vscode.FileType): FileEntry['type'] {
  if (type === vscode.FileType.Directory) return 'folder';
  return type === vscode.FileType.File ? 'file' : 'other';
}

async function list(roots: WorkspaceRoots, path: string): Promise<readonly FileEntry[]> {
  if (path === '.' && roots.names) return roots.names.map((name) => ({ name, type: 'folder' }));
  const entries = await vscode.workspace.fs.readDirectory(await placeOf(roots, path));
  return entries.map(([name, type]) => ({ name, type: entryType(type) }));
}

/** Resolves a path to a URI. Throws if the path does not exist or leads through a link. */
async function placeOf(roots: WorkspaceRoots, path: string): Promise<vscode.Uri> {
  const uri = roots.locate(path);
  const type = await typeOf(roots, path);
  if (!uri || type === undefined || type === 'other') throw new Error('There is no such file or folder.');
  return uri;
}

/** Returns the open document if it has unsaved changes. */
export const unsavedDocument = (uri: vscode.Uri): vscode.TextDocument | undefined =>
  vscode.workspace.textDocuments.find((each) => each.isDirty && each.uri.toString() === uri.toString());

async function open(uri: vscode.Uri): Promise<StoredFile> {
  const unsaved = unsavedDocument(uri);
  if (unsaved) return storedFile(encode(unsaved.getText()));
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MAX_BYTES)
    return { size, slice: () => ({ arrayBuffer: () => Promise.reject(new Error('Too large.')) }) };
  return storedFile(await vscode.workspace.fs.readFile(uri));
}

const storedFile = (bytes: Uint8Array): StoredFile => ({
  size: bytes.length,
  // Copies the bytes, since the editor may return a view of a larger buffer.
  slice: (start, end) => ({ arrayBuffer: async () => new Uint8Array(bytes.subarray(start, end)).buffer }),
});

async function create(uri: vscode.Uri, { text, confirm }: StoredChange): Promise<void> {
  await confirm();
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: encode(text), overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new ToolError('The editor refused to create the file.');
}

/**
 * Replaces the text through a document edit, so that the person can undo it. Saves the document only if it was saved
 * before. Text that a document cannot represent is written to the file, and the editor reloads it.
 */
async function replace(uri: vscode.Uri, { text, confirm }: StoredChange): Promise<void> {
  if (vscode.workspace.notebookDocuments.some((each) => each.uri.toString() === uri.toString())) {
    throw new ToolError(
      'The file is open as a notebook, which would lose what is not saved there. Close it first.',
    );
  }
  const document = await vscode.workspace.openTextDocument(uri);
  const { version, isDirty } = document;
  const isEdited = isDirty || (await isEditable(document, text));
  await confirm();
  // Refuses if the person typed meanwhile, since the approved change was based on the earlier text.
  if (document.version !== version) throw new ToolError(CHANGED_MEANWHILE);
  if (!isEdited) return vscode.workspace.fs.writeFile(uri, encode(text));
  const edit = new vscode.WorkspaceEdit();
  const span = changedSpan(document.getText(), asInEditor(text, document.eol));
  edit.replace(
    uri,
    new vscode.Range(document.positionAt(span.start), document.positionAt(span.end)),
    span.text,
  );
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new ToolError(CHANGED_MEANWHILE);
  }
  if (!isDirty && !(await document.save())) {
    throw new ToolError('The change is in the editor, but the file could not be saved.');
  }
}

const CHANGED_MEANWHILE =
  'The editor did not make the change: the file was changed meanwhile. Read it again.';

/**
 * Reports whether a document edit can produce exactly this file. It cannot with mixed line endings, an added or
 * removed byte order mark, or another encoding.
 */
async function isEditable(document: vscode.TextDocument, text: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const before = decoder.decode(await vscode.workspace.fs.readFile(document.uri));
  const isShown = document.getText() === withoutMark(before);
  return isShown && hasMark(text) === hasMark(before) && asInEditor(text, document.eol) === withoutMark(text);
}

const hasMark = (text: string): boolean => text.startsWith('\uFEFF');
const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '');
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Converts a text to the document's form: without a byte order mark, with the document's line endings. */
const asInEditor = (text: string, eol: vscode.EndOfLine): string =>
  withoutMark(text).replaceAll(/\r\n|\r|\n/g, eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n');
