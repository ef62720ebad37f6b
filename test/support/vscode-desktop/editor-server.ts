import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';
import { key } from '../whole-service.js';

/** VS Code 1.100, the last version whose server runs on Node 20. */
const SERVER = 'code-server@4.100.3';
/**
 * The editor's search program for this platform, installed from npm. The server's own package would download it
 * from another site.
 */
const SEARCH_PROGRAM = '@vscode/ripgrep@1.18.0';

const cache = new URL('../../../../node_modules/.cache/', import.meta.url).pathname;
const installed = join(cache, SERVER.replace('@', '-'));
const serverFolder = join(installed, 'node_modules/code-server/lib/vscode');

/**
 * Installs the editor's server, unless it is installed already. Skips install scripts: they compile parts for
 * shell terminals, log files and proxies, which the tests do not need.
 */
export function installEditorServer(): void {
  const done = join(installed, 'done');
  if (existsSync(done)) return;
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, 'package.json'), '{ "private": true }\n');
  const install = (cwd: string, name: string) =>
    execFileSync('npm', ['install', '--ignore-scripts', '--omit=dev', '--loglevel=error', name], {
      cwd,
      stdio: 'inherit',
    });
  install(installed, SERVER);
  install(serverFolder, SEARCH_PROGRAM);
  writeFileSync(done, '');
}

/** Disables the extension market, and sets a model key, as people have one in their shells. */
const environment = { EXTENSIONS_GALLERY: '{}', OPENAI_API_KEY: key };

/** A server of the editor with folders of its own. Its extension hosts are Node processes. */
export class EditorServer {
  /** Folder for the server's settings, extensions and workspace state. */
  readonly dataFolder = mkdtempSync(join(tmpdir(), 'stepwise-editor-'));
  #server: ChildProcess | undefined;
  #origin = '';
  #said = '';

  get origin(): string {
    return this.#origin;
  }

  /** Starts the server with a packaged extension and the person's settings. */
  async start(extension: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
    for (const scope of ['User', 'Machine']) {
      mkdirSync(join(this.dataFolder, 'data', scope), { recursive: true });
      writeFileSync(join(this.dataFolder, 'data', scope, 'settings.json'), JSON.stringify(settings));
    }
    await once(this.#run('--install-extension', extension), 'exit');
    this.#server = this.#run('--host', '127.0.0.1', '--port', '0', '--without-connection-token');
    this.#origin = `http://127.0.0.1:${await this.#port(this.#server)}`;
  }

  /** Ends the server and all its processes. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = once(server, 'exit');
      process.kill(-server.pid, 'SIGKILL');
      await ended;
    }
    rmSync(this.dataFolder, { recursive: true, force: true, maxRetries: 5 });
  }

  #run(...args: string[]): ChildProcess {
    const program = join(serverFolder, 'out/server-main.js');
    const own = ['--accept-server-license-terms', '--telemetry-level', 'off', '--server-data-dir'];
    const child = spawn(process.execPath, [program, ...own, this.dataFolder, ...args], {
      env: { PATH: process.env['PATH'], HOME: this.dataFolder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#said += text;
      });
    }
    return child;
  }

  async #port(server: ChildProcess): Promise<string> {
    const port = () => /agent listening on (\d+)/.exec(this.#said)?.[1];
    await until(() => port() ?? server.exitCode !== null, Boolean, 60_000);
    return port() ?? Promise.reject(new Error(`The editor's server did not start: ${this.#said}`));
  }
}
