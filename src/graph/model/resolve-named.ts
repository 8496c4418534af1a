import { MissingServiceError } from "../errors/errors.ts";
import { type NamedKind, type NamedServices, UnknownNameError } from "./named-services.ts";

/** Looks up a name. @throws MissingServiceError when the run lacks the service, UnknownNameError */
export async function resolveNamed<Thing>(
  things: NamedServices<Thing> | undefined,
  { kind, name, nodeId }: { readonly kind: NamedKind; readonly name: string; readonly nodeId: string },
): Promise<Thing> {
  if (things === undefined) throw new MissingServiceError(`${kind}s`, nodeId);
  const thing = await things.find(name);
  if (thing === undefined) throw new UnknownNameError(kind, name, nodeId, things.names());
  return thing;
}
