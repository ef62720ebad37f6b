import type { ModelList } from '../../contract/model-list.js';
import { showExactLine } from '../screen/visible-text.js';
import { choiceOf, type ModelChoice, providersByName } from '../session/choose-model.js';
import { findModelKey, keyVariable } from '../session/model-key.js';
import { ollamaModels } from '../session/ollama.js';
import type { Session } from '../session/session.js';

/** Returns the known model names that `/model` accepts. */
export async function modelNames(session: Session): Promise<readonly string[]> {
  const { models } = await session.models().catch(() => ({ models: [] }));
  const names = models.map(({ name }) => name).filter((name) => !name.includes('*'));
  return [...new Set(['offline', ...names, ...(await ollamaModels())])];
}

/** A row of the list: a model, or all models of an endpoint. */
interface Row {
  readonly name: string;
  readonly place: string;
  readonly what: string;
  readonly isCurrent: boolean;
  /** The missing key; undefined if the model can be called. */
  readonly needs: string | undefined;
}

/**
 * Lists the models of the service. Models that can be called come first, one per line, with a star at the current one;
 * then models without a key, by vendor. Throws `StepwiseError`.
 */
export async function modelList(session: Session): Promise<string> {
  const rows = rowsOf(session, await session.models(), await ollamaModels());
  const [current, ready, lacking] = [
    rows.filter(({ isCurrent }) => isCurrent),
    rows.filter(({ isCurrent, needs }) => !isCurrent && needs === undefined),
    rows.filter(({ isCurrent, needs }) => !isCurrent && needs !== undefined),
  ];
  const listed = [...current, ...ready];
  const width = Math.max(...listed.map(({ name }) => name.length)) + 2;
  const lines = listed.map(
    ({ name, place, what, isCurrent }) =>
      `${isCurrent ? '*' : ' '} ${name.padEnd(width)}${place.padEnd(14)}${what}`,
  );
  const vendors = [...new Set(lacking.map(({ place }) => place))];
  return [...lines, ...vendors.map((vendor) => vendorLine(lacking.filter(({ place }) => place === vendor)))]
    .map((line) => showExactLine(line).trimEnd())
    .join('\n');
}

function vendorLine(rows: readonly Row[]): string {
  const [first] = rows;
  return `  ${first?.place} needs ${first?.needs}: ${rows.map(({ name }) => name).join(', ')}`;
}

function rowsOf({ model, parts }: Session, list: ModelList, local: readonly string[]): readonly Row[] {
  const { keys: environment } = parts;
  const needsOf = ({ name, upstream }: ModelChoice) =>
    findModelKey(name, { upstream, environment })
      ? undefined
      : ((upstream ? undefined : keyVariable(name)) ?? 'a key');
  const keyless = new Set(list.upstreams.filter((each) => !each.key_required).map(({ name }) => name));
  const known = list.models.map((listed) => {
    const { name, provider, context_window } = listed;
    const choice = choiceOf(listed);
    return {
      ...{ name, place: provider, what: windowOf(context_window) },
      isCurrent: model.name === name && (model.upstream ?? choice.upstream ?? provider) === provider,
      needs: keyless.has(provider) ? undefined : needsOf(choice),
    };
  });
  const onThisMachine = local.map((name) => ({
    ...{ name, place: 'ollama', what: 'on this machine', needs: undefined },
    isCurrent: model.name === name && model.upstream === 'ollama',
  }));
  const isListed = [...known, ...onThisMachine].some(({ isCurrent }) => isCurrent);
  const others = list.upstreams.filter(({ name }) => !providersByName.includes(name));
  const endpoints = others.map(({ name, key_required }) => ({
    ...{ name: `any model at ${name}`, place: name, needs: undefined },
    what: key_required ? 'needs a key' : 'needs no key',
    isCurrent: !isListed && model.upstream === name,
  }));
  return [...known, ...onThisMachine, ...endpoints];
}

const windowOf = (tokens: number | null): string =>
  tokens === null ? '' : `${Math.round(tokens / 1_000)}k tokens`;
