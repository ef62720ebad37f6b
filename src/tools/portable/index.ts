/** File tools for any kind of folder. They do not need Node, so they also run in browsers and editors. */

export type { FileText } from '../../files/file-text.js';
export type { FileEntry } from '../../files/file-tree.js';
export { isSecretPath, isSecretPlace } from '../../files/secret-paths.js';
export type { WalkedEntry, WalkOptions } from '../../files/walk-folder.js';
export type { FileStore, StoredChange, StoredFile } from '../folder/file-store.js';
export type { ChangedFile, Folder, TextChange } from '../folder/folder.js';
export { memoryStore, type StoredContent } from '../folder/memory-store.js';
export {
  allowWriting,
  type PickedEntry,
  type PickedFile,
  type PickedFileWriter,
  type PickedFolder,
  type PickOptions,
  pickedStore,
} from '../folder/picked-store.js';
export { StoredFolder, type StoredFolderOptions } from '../folder/stored-folder.js';
export type { MatchLines } from '../read/find-lines.js';
export type { GivenLimits } from '../read/limits.js';
export type { OnChange } from '../write/approved-changes.js';
export { unifiedDiff } from '../write/unified-diff.js';
export { createFileReaders, createFileTools, createFileWriters, type FileToolOptions } from './file-tools.js';
export {
  answerSearches,
  type ListenerOptions,
  matchLinesInWorker,
  type SearchWorker,
  type SearchWorkerScope,
  type WorkerMessage,
} from './match-lines-in-worker.js';
