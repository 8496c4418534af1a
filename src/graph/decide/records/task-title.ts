import { immediate } from "../../errors/promise-returned-error.ts";
import { encodeValue } from "../../state/codec.ts";
import { itemCountOf, mapItemOf, placeOf, type Task } from "./run-state.ts";

/** The title of a visit. If the author's `title` function throws, the visit has no title, and the run continues. */
export function titleOf({ node, thread }: Task): string {
  const name = node.name ?? node.id;
  if (node.title === undefined) return name;
  try {
    return immediate(node.title(thread.state, placeOf(thread)), "title", node.id);
  } catch {
    return name;
  }
}

const MAX_ITEM_LENGTH = 60;

/** The item of the map's branch that the task is in, in a few words if possible, and how many there are. */
export function itemOf({ thread }: Task): { readonly item?: string; readonly itemCount?: number } {
  const value = mapItemOf(thread)?.value;
  const itemCount = itemCountOf(thread);
  return {
    ...(value === undefined ? {} : { item: describeItem(value) }),
    ...(itemCount === undefined ? {} : { itemCount }),
  };
}

/** An item of a map in a few words. */
export function describeItem(value: unknown): string {
  const text = typeof value === "string" ? value : encodeValue(value);
  return text.length > MAX_ITEM_LENGTH ? `${text.slice(0, MAX_ITEM_LENGTH - 1)}…` : text;
}
