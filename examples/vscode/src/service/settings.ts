import type { RunLlmConfig, RunOptions } from 'stepwise';
import * as vscode from 'vscode';

/** The settings of the extension; no key and no token is among them. */
export interface Settings {
  readonly serviceUrl: string;
  readonly llmConfig: RunLlmConfig;
  readonly maxSteps: number;
  readonly protocol: NonNullable<RunOptions['protocol']>;
  /** Where the person is asked besides the view. */
  readonly askIn: 'view' | 'notification' | 'dialog';
  /** Whether files in open editors go with a task. */
  readonly includesOpenEditors: boolean;
}

const protocols = ['text', 'xml', 'json', 'native', 'auto'] as const;

export function readSettings(): Settings {
  const settings = vscode.workspace.getConfiguration('stepwise');
  const tokenLimit = read(settings, 'tokenLimit', 32_000);
  const upstream = read(settings, 'upstream', '').trim();
  return {
    serviceUrl: read(settings, 'serviceUrl', '').trim() || 'http://127.0.0.1:8080',
    llmConfig: {
      modelName: read(settings, 'model', '').trim() || 'offline',
      tokenLimit,
      reservedOutputTokens: Math.min(4_000, Math.floor(tokenLimit / 4)),
      ...(upstream !== '' && { provider: upstream }),
    },
    maxSteps: read(settings, 'maxSteps', 20),
    protocol: protocols.find((each) => each === settings.get('protocol')) ?? 'text',
    askIn: settings.get<Settings['askIn']>('askIn', 'view'),
    includesOpenEditors: read(settings, 'includeOpenEditors', true),
  };
}

/** The editor gives what a settings file says, of whatever type; a value of another type is as good as none. */
function read<Value extends string | number | boolean>(
  settings: vscode.WorkspaceConfiguration,
  name: string,
  usual: Value,
): Value {
  const value = settings.get<Value>(name, usual);
  return typeof value === typeof usual ? value : usual;
}
