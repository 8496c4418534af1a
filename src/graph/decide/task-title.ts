import { encodeValue } from "../state/codec.ts";
import { mapItemOf, placeOf, type Task } from "./run-state.ts";

/** What a visit of a node is called for people. A `title` that fails costs the visit its title, not the run. */
export function titleOf({ node, thread }: Task): string {
  const name = node.name ?? node.id;
  if (node.title === undefined) return name;
  try {
    return node.title(thread.state, placeOf(thread));
  } catch {
    return name;
  }
}

const MAX_ITEM_LENGTH = 60;

/** What the branch of a map that the task is in is about, as far as a few words can say it. */
export function itemOf({ thread }: Task): { readonly item?: string } {
  const value = mapItemOf(thread)?.value;
  return value === undefined ? {} : { item: describeItem(value) };
}

/** An item of a map in a few words. */
export function describeItem(value: unknown): string {
  const text = typeof value === "string" ? value : encodeValue(value);
  return text.length > MAX_ITEM_LENGTH ? `${text.slice(0, MAX_ITEM_LENGTH - 1)}…` : text;
}
