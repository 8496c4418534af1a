import { join } from "node:path";
import { readEvents } from "./event-record/read-events.ts";
import { EVENTS_FILE } from "./event-record/record-events.ts";

/**
 * What the visits of a run are called, by visit: a script's calls by their label or the beginning of their prompt. Leaves
 * out a title that says no more than the node's id, and visits of a run whose events were not recorded.
 *
 * @throws the system's error
 */
export async function readVisitTitles(sessionDirectory: string): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  for await (const event of readEvents(join(sessionDirectory, EVENTS_FILE))) {
    if (event.type !== "node-start") continue;
    const { taskId, nodeId, name, item } = event;
    if (name.toLowerCase() !== nodeId.toLowerCase()) titles.set(taskId, name);
    if (item !== undefined) titles.set(taskId, `${name} (${item})`);
  }
  return titles;
}
