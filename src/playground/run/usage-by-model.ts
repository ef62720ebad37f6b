import type { StepView } from '../../sdk/index.js';
import { plural, tokens } from '../text/figures.js';

/** Tokens used by the calls of one model, as its provider counts; null if the provider does not report them. */
interface ModelUsage {
  readonly model: string;
  readonly input: number | null;
  readonly output: number | null;
  /** True if some calls reported no usage. */
  readonly isPartial: boolean;
}

/**
 * Describes the usage of steps, such as `2 steps · 855 in · 40 out`. Models count tokens differently, so the usage
 * of each model is listed separately.
 */
export function usageInWords(steps: readonly StepView[], of = ''): string {
  const byModel = usageByModel(steps).flatMap((usage) => {
    const words = inWords(usage);
    return words === '' ? [] : [{ model: usage.model, words }];
  });
  const counts = byModel.map(({ model, words }) => (byModel.length > 1 ? `${model}: ${words}` : words));
  return [`${plural(steps.length, 'step')}${of}`, ...counts].join(' · ');
}

function usageByModel(steps: readonly StepView[]): readonly ModelUsage[] {
  const found = new Map<string, ModelUsage>();
  for (const response of steps.flatMap(({ calls }) => calls).flatMap((call) => call.response ?? [])) {
    const model = response.model ?? 'a model without a name';
    const { input_tokens: input = null, output_tokens: output = null } = response.usage ?? {};
    const before = found.get(model) ?? { model, input: null, output: null, isPartial: false };
    found.set(model, {
      model,
      input: sum(before.input, input),
      output: sum(before.output, output),
      isPartial: before.isPartial || input === null || output === null,
    });
  }
  return [...found.values()];
}

const sum = (a: number | null, b: number | null): number | null => (b === null ? a : (a ?? 0) + b);

function inWords({ input, output, isPartial }: ModelUsage): string {
  const counts = [input !== null && `${tokens(input)} in`, output !== null && `${tokens(output)} out`];
  const words = counts.filter(Boolean).join(' · ');
  return words !== '' && isPartial ? `at least ${words}` : words;
}
