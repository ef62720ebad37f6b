/** Returns a function that calls `make` once per key and caches the result. */
export function once<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, { readonly value: Value }>();
  return (key) => {
    const made = values.get(key) ?? { value: make(key) };
    values.set(key, made);
    return made.value;
  };
}
