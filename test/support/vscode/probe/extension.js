// This extension runs in the editor's extension host like any web extension, so it is CommonJS and gets `vscode`
// from the host.
const vscode = require('vscode');

/**
 * Schemes of the test's workspaces. The editor always trusts an unknown scheme such as the first; whether it
 * trusts the second depends on the person's decision.
 */
const schemes = ['memory', 'vscode-vfs'];
const uriOf = (path) => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return vscode.Uri.from({ scheme: folder?.uri.scheme ?? schemes[0], path: `/workspace/${path}` });
};
const pathOf = (uri) =>
  schemes.includes(uri.scheme) ? uri.path.slice('/workspace/'.length) : uri.toString();

/** A workspace in memory. A folder exists as long as it contains something. */
class MemoryFiles {
  #files = new Map();
  #changed = new vscode.EventEmitter();
  /** While this promise is set, reading files waits for it. */
  #held;
  onDidChangeFile = this.#changed.event;

  /** Replaces all files, and notifies the editor of the changes. */
  replaceAll(texts) {
    const gone = [...this.#files.keys()].filter((path) => !(path in texts)).map((path) => uriOf(path));
    this.#files = new Map(
      Object.entries(texts).map(([path, text]) => [path, file(new TextEncoder().encode(text))]),
    );
    this.#changed.fire([
      ...gone.map((uri) => ({ type: vscode.FileChangeType.Deleted, uri })),
      ...Object.keys(texts).map((path) => ({ type: vscode.FileChangeType.Changed, uri: uriOf(path) })),
    ]);
  }

  stat(uri) {
    const found = this.#files.get(pathOf(uri));
    if (found) return { type: vscode.FileType.File, ctime: 0, mtime: found.mtime, size: found.bytes.length };
    if (uri.path !== '/workspace' && this.readDirectory(uri).length === 0) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
  }

  readDirectory(uri) {
    const prefix = uri.path === '/workspace' ? '' : `${pathOf(uri)}/`;
    const entries = new Map();
    for (const path of this.#files.keys()) {
      if (!path.startsWith(prefix)) continue;
      const [name, ...below] = path.slice(prefix.length).split('/');
      entries.set(name, below.length > 0 ? vscode.FileType.Directory : vscode.FileType.File);
    }
    return [...entries];
  }

  hold() {
    this.#held = new Promise((release) => {
      this.release = release;
    });
  }

  release() {}

  async readFile(uri) {
    await this.#held;
    const found = this.#files.get(pathOf(uri));
    if (!found) throw vscode.FileSystemError.FileNotFound(uri);
    return found.bytes;
  }

  writeFile(uri, bytes, { create, overwrite }) {
    const exists = this.#files.has(pathOf(uri));
    if (!exists && !create) throw vscode.FileSystemError.FileNotFound(uri);
    if (exists && create && !overwrite) throw vscode.FileSystemError.FileExists(uri);
    this.#files.set(pathOf(uri), file(bytes));
    const { Changed, Created } = vscode.FileChangeType;
    this.#changed.fire([{ type: exists ? Changed : Created, uri }]);
  }

  delete(uri) {
    const path = pathOf(uri);
    for (const key of [...this.#files.keys()]) {
      if (key === path || key.startsWith(`${path}/`)) this.#files.delete(key);
    }
    this.#changed.fire([{ type: vscode.FileChangeType.Deleted, uri }]);
  }

  async rename(from, to, options) {
    this.writeFile(to, await this.readFile(from), { create: true, ...options });
    this.delete(from);
  }

  createDirectory() {}

  watch() {
    return { dispose() {} };
  }
}

let clock = 0;
/** Returns a file with a unique time of change, however fast changes follow each other. */
const file = (bytes) => ({ bytes, mtime: Date.now() + ++clock });

/** Returns the state of the editors that a person can see. */
function editors() {
  const active = vscode.window.activeTextEditor;
  return {
    active: active && {
      path: pathOf(active.document.uri),
      text: active.document.getText(),
      isDirty: active.document.isDirty,
      selected: active.document.getText(active.selection),
    },
    tabs: vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
  };
}

/** Opens a file. `select` is a text to select in it. */
async function open(path, select) {
  const editor = await vscode.window.showTextDocument(uriOf(path), { preview: false });
  if (typeof select !== 'string') return;
  const { document } = editor;
  const start = document.getText().indexOf(select);
  editor.selection = new vscode.Selection(
    document.positionAt(start),
    document.positionAt(start + select.length),
  );
}

/** Changes the text of the active editor without saving it. */
async function replaceText(text) {
  const { document } = vscode.window.activeTextEditor;
  const edit = new vscode.WorkspaceEdit();
  const end = document.positionAt(document.getText().length);
  edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), text);
  await vscode.workspace.applyEdit(edit);
}

exports.activate = async (context) => {
  const files = new MemoryFiles();
  // The files are loaded from the workbench's server, so that they exist as soon as the folder does, even after a
  // reload.
  files.replaceAll(
    await (await fetch(vscode.Uri.joinPath(context.extensionUri, '../../files.json').toString(true))).json(),
  );
  const commands = {
    setFiles: (texts) => files.replaceAll(texts),
    readFile: async (path) =>
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(await files.readFile(uriOf(path))),
    deleteFile: (path) => files.delete(uriOf(path)),
    holdReads: () => files.hold(),
    releaseReads: () => files.release(),
    editors,
    open,
    replaceText,
    runOnFile: (command, path) => vscode.commands.executeCommand(command, uriOf(path), [uriOf(path)]),
    setSetting: (name, value) =>
      vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global),
    settings: () => JSON.parse(JSON.stringify(vscode.workspace.getConfiguration())),
    commands: () => vscode.commands.getCommands(true),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`probe.${name}`, run));
  }
  for (const scheme of schemes) {
    context.subscriptions.push(
      vscode.workspace.registerFileSystemProvider(scheme, files, { isCaseSensitive: true }),
    );
  }
};
