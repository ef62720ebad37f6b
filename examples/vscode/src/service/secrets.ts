import * as vscode from 'vscode';

/** A secret of this extension, and what it is called before a person. */
export interface SecretName {
  readonly id: string;
  readonly label: string;
}

export const modelKey: SecretName = { id: 'stepwise.modelKey', label: 'model key' };
export const serviceToken: SecretName = { id: 'stepwise.serviceToken', label: 'service token' };

/** The key and the token live in the editor's SecretStorage, and in the header of a request to the service. */
export class Secrets {
  readonly #storage: vscode.SecretStorage;

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** What a client of the service is made with. */
  async read(): Promise<{ readonly llmKey?: string; readonly token?: string }> {
    const [llmKey, token] = await Promise.all(
      [modelKey, serviceToken].map(({ id }) => this.#storage.get(id)),
    );
    return { ...(llmKey && { llmKey }), ...(token && { token }) };
  }

  /** Asks for it in a masked box; one that is left empty changes nothing. */
  async ask({ id, label }: SecretName): Promise<void> {
    const value = await vscode.window.showInputBox({
      title: `Stepwise: ${label}`,
      prompt: 'Kept in the secret storage of this editor, and sent to your Stepwise service alone.',
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
