import { encodedForms } from '../network/encoded-forms.js';

/**
 * Returns a copy of plain data in which no text contains one of the keys, raw, escaped or encoded. A model may repeat a
 * key, and a saved run of another program may contain one.
 */
export function withoutKeys<Data>(data: Data, keys: readonly string[]): Data {
  const forms = keys.flatMap((key) => encodedForms(key)).sort((a, b) => b.length - a.length);
  if (forms.length === 0) return data;
  const redact = (text: string): string =>
    forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text);
  // Cast: only strings are replaced, so the type stays the same.
  return mapTexts(data, redact) as Data;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [map(name), mapTexts(field, map)]));
}
