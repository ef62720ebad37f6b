import type { RunLlmConfig, RunOptions } from 'stepwise';
import * as vscode from 'vscode';

/** The extension's settings; keys and tokens are stored elsewhere. */
export interface Settings {
  readonly serviceUrl: string;
  readonly llmConfig: RunLlmConfig;
  readonly maxSteps: number;
  readonly protocol: NonNullable<RunOptions['protocol']>;
  /**
   * Place in which questions appear in addition to the view. With `view`, a notification appears only while the view is
   * hidden.
   */
  readonly askIn: 'view' | 'notification' | 'dialog';
  /** True to include files of open editors in the context of a task. */
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

/** Reads a setting; ignores a value of the wrong type, which the editor passes on unchecked. */
function read<Value extends string | number | boolean>(
  settings: vscode.WorkspaceConfiguration,
  name: string,
  usual: Value,
): Value {
  const value = settings.get<Value>(name, usual);
  return typeof value === typeof usual ? value : usual;
}
