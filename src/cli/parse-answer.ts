import type { HumanRequest } from "../contracts/index.ts";

/** What a person typed, as the question wants it: where it has a schema other than text, JSON is read as such. */
export function parseAnswer(request: HumanRequest, text: string): unknown {
  if (request.schema === undefined || request.schema.type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    // The schema's own complaint about text says more than a JSON error.
    return text;
  }
}

/** The name of this question alone: the id of a node's first question would also stand for the node's later ones. */
export function exactIdOf({ id, nodeId }: HumanRequest): string {
  return id === nodeId ? `${id}#1` : id;
}
