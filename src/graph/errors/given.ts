/** Optional fields, never `undefined` when present. */
export type Given<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Removes the fields that are `undefined`. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // The cast is true: these are the same fields, except those without a value.
  return Object.fromEntries(entries) as Given<Fields>;
}
