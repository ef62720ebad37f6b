/**
 * What is made of an object, made when it is first asked for and kept for as long as the object is there: a file stands
 * in several folders, and is asked for in many ranges.
 */
export function madeOnce<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
