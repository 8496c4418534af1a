import { type Reducer, Reducers, type StateFields, type StateSchema } from "./annotation.ts";

/** The reducers of a graph's state; `isOpen` when fields need no declaration. */
export interface StateRules {
  readonly isOpen: boolean;
  readonly reducers: ReadonlyMap<string, Reducer<unknown> | undefined>;
  readonly fields: StateFields;
}

/** A field that authors do not set themselves; errors do not suggest it. */
export const SESSIONS_FIELD = "agentSessions";

/** Prepares a schema for `applyChange`. Without a schema every field is allowed, and `outputs` is merged. */
export function createStateRules(schema: StateSchema | undefined): StateRules {
  const fields = schema?.fields ?? {};
  const reducers = new Map<string, Reducer<unknown> | undefined>();
  // The cast is true: BaseState declares `outputs` as an object.
  reducers.set("outputs", Reducers.merge as Reducer<unknown>);
  // Absent until a session is kept; `merge` treats that as an empty object.
  reducers.set(SESSIONS_FIELD, Reducers.merge as Reducer<unknown>);
  for (const [name, field] of Object.entries(fields)) reducers.set(name, field.reducer);
  return { isOpen: schema === undefined, reducers, fields };
}
