import { questionText } from "../../view/index.ts";
import type { InboxItem } from "./runs-port.ts";

/** What an item of the inbox is about, in one line. */
export function describeItem(item: InboxItem): string {
  if (item.type === "question") {
    const { item: branch, nodeId, ...asked } = item.request;
    const asking = branch === undefined ? nodeId : `${nodeId} (${branch})`;
    return `${asking}: ${questionText(asked)}`;
  }
  const { step, title } = item.request;
  return `${step ?? "an agent"} wants: ${title}`;
}
