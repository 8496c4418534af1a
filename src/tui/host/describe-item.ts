import type { InboxItem } from "./runs-port.ts";

/** What an item of the inbox is about, in one line. */
export function describeItem(item: InboxItem): string {
  if (item.type === "question") {
    const { nodeId, header, question } = item.request;
    return `${nodeId}: ${header === undefined ? question : `${header}: ${question}`}`;
  }
  const { step, title } = item.request;
  return `${step ?? "an agent"} wants: ${title}`;
}
