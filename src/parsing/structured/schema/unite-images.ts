import { anything, type Image, objectImage, type Properties, restored } from './image.js';
import type { SchemaDialect } from './schema-dialect.js';

/**
 * Combines images (converted schemas) into a union; undefined if the dialect does not allow it, or if a value that must
 * be converted back could match several of them.
 */
export function uniteImages(
  images: readonly Image[],
  { distinctFirstKeys }: Pick<SchemaDialect, 'distinctFirstKeys'>,
): Image | undefined {
  const all = images.flatMap((image) => image.alternatives ?? [image]);
  const objects = all.filter(({ properties }) => properties);
  if (objects.length > MAX_COMPARED) return undefined;
  const united = distinctFirstKeys ? withDistinctFirstKeys(all) : all;
  const translates = all.some(({ restore }) => restore);
  if (!united || (translates && (united.length > MAX_COMPARED || !areDistinct(united)))) return undefined;
  const isOpen = united.some(({ types }) => types.length === 0);
  return {
    schema: { anyOf: united.map(({ schema }) => schema) },
    alternatives: united,
    types: isOpen ? [] : [...new Set(united.flatMap(({ types }) => types))],
    restore: translates
      ? (value, reading) => restored(united.find((each) => each.matches(value)) ?? anything, value, reading)
      : undefined,
    matches: (value) => united.some((each) => each.matches(value)),
  };
}

/** Maximum number of alternatives that are compared pair by pair. */
const MAX_COMPARED = 128;

/** Whether no value can match two of the images. */
function areDistinct(images: readonly Image[]): boolean {
  return images.every((image, index) => images.slice(index + 1).every((other) => differ(image, other)));
}

function differ(one: Image, other: Image): boolean {
  const isAny = one.types.length === 0 || other.types.length === 0;
  if (!isAny && !one.types.some((type) => other.types.includes(type))) return true;
  if (!one.properties || !other.properties) return false;
  return (
    one.properties.some(({ name }) => haveOwnConstants(name, one.properties, other.properties)) ||
    hasOwnRequired(one.properties, other.properties) ||
    hasOwnRequired(other.properties, one.properties)
  );
}

/** Whether an object of the first kind must have a property that an object of the other kind cannot have. */
const hasOwnRequired = (one: Properties, other: Properties): boolean =>
  one.some(({ name, absence }) => absence !== 'omitted' && other.every((each) => each.name !== name));

/** Whether both objects require a property of this name, and their constants for it differ. */
function haveOwnConstants(name: string, one: Properties | undefined, other: Properties | undefined): boolean {
  const values = constantsOf(name, one);
  const others = constantsOf(name, other);
  return values.length > 0 && others.length > 0 && !values.some((value) => others.includes(value));
}

function constantsOf(name: string, properties: Properties | undefined): readonly unknown[] {
  const property = properties?.find((each) => each.name === name && each.absence === 'required');
  const values = property?.image.schema['enum'];
  return Array.isArray(values) ? values : [];
}

/**
 * Puts a property first in each object so that no two objects begin with the same property, unless its constants
 * distinguish them; undefined if that is impossible.
 */
function withDistinctFirstKeys(images: readonly Image[]): Image[] | undefined {
  const chosen: { readonly first: string; readonly properties: Properties }[] = [];
  const ordered: Image[] = [];
  for (const image of images) {
    const { properties } = image;
    if (!properties) {
      ordered.push(image);
      continue;
    }
    const first = possiblyFirst(properties).find(({ name }) =>
      chosen.every((each) => each.first !== name || haveOwnConstants(name, properties, each.properties)),
    );
    if (!first) return undefined;
    chosen.push({ first: first.name, properties });
    ordered.push(objectImage([first, ...properties.filter((each) => each !== first)]));
  }
  return ordered;
}

/**
 * Returns the properties that can be put first. JavaScript orders keys that are array indexes before all others, so the
 * smallest of them is always first.
 */
function possiblyFirst(properties: Properties): Properties {
  const [first = ''] = Object.keys(Object.fromEntries(properties.map(({ name }) => [name, true])));
  const isIndex = /^(?:0|[1-9]\d*)$/.test(first) && Number(first) < 2 ** 32 - 1;
  return isIndex ? properties.filter(({ name }) => name === first) : properties;
}
