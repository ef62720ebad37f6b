/**
 * What is made of an object, made when it is first asked for and kept for as long as the object is there: a file stands
 * in several folders, and is asked for in many ranges. It is kept in the object itself, where no copy takes it along: what
 * a `WeakMap` holds outlives every collection of young garbage, and the texts of a request with it.
 */
export function madeOnce<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const slot = Symbol(make.name);
  return (key: Key & { readonly [slot]?: { readonly value: Value } }) => {
    const known = key[slot];
    if (known) return known.value;
    const value = make(key);
    Object.defineProperty(key, slot, { value: { value } });
    return value;
  };
}
