import * as vscode from 'vscode';

/** Storage id of a secret, and its label for people. */
export interface SecretName {
  readonly id: string;
  readonly label: string;
}

export const modelKey: SecretName = { id: 'stepwise.modelKey', label: 'model key' };
export const serviceToken: SecretName = { id: 'stepwise.serviceToken', label: 'service token' };

/**
 * Keeps the model key and the service token in the editor's SecretStorage; they are sent only in headers to the
 * service.
 */
export class Secrets {
  readonly #storage: vscode.SecretStorage;

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** Returns the credentials for a client of the service. */
  async read(): Promise<{ readonly llmKey?: string; readonly token?: string }> {
    const [llmKey, token] = await Promise.all(
      [modelKey, serviceToken].map(({ id }) => this.#storage.get(id)),
    );
    return { ...(llmKey && { llmKey }), ...(token && { token }) };
  }

  /** Prompts for the secret in a masked box; empty input changes nothing. */
  async ask({ id, label }: SecretName): Promise<void> {
    const value = await vscode.window.showInputBox({
      title: `Stepwise: ${label}`,
      prompt: 'Stored in this editor’s secret storage and sent only to your Stepwise service.',
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (/^[\x21-\x7e]{0,512}$/.test(text.trim()) ? undefined : problem),
    });
    if (!value?.trim()) return;
    await this.#storage.store(id, value.trim());
    vscode.window.showInformationMessage(`Stepwise: the ${label} is set.`);
  }

  async clear({ id, label }: SecretName): Promise<void> {
    await this.#storage.delete(id);
    vscode.window.showInformationMessage(`Stepwise: the ${label} is cleared.`);
  }
}

const problem = 'At most 512 visible ASCII characters, without spaces.';
