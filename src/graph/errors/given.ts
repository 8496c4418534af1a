/** Fields that may be there, and are something where they are. */
export type Given<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that have a value: what is set to `undefined` is left out. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // The cast is true: these are the same fields, but for those without a value.
  return Object.fromEntries(entries) as Given<Fields>;
}
