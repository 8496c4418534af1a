import { formatAge, safeLine } from "../../view/index.ts";
import { describeItem } from "../host/describe-item.ts";
import type { InboxItem, RunSummary } from "../host/runs-port.ts";

/** So many runs or requests are listed as text. */
const MAX_ITEMS = 20;

/** The longest prompt or question of a row, in columns. */
const ABOUT_COLUMNS = 160;

/** The runs as text, newest first, with the command that shows one. */
export function formatRuns(runs: readonly RunSummary[], now: number): string {
  if (runs.length === 0) return "There are no runs yet. A workflow starts one: /help lists them.";
  const lines = runs.slice(0, MAX_ITEMS).map(({ id, workflow, state, prompt, startedAt }) => {
    const about = prompt === "" ? "" : `: ${safeLine(prompt, ABOUT_COLUMNS)}`;
    return `- ${id}  ${safeLine(workflow, 40)}, ${state}, started ${formatAge(now - startedAt)} ago${about}`;
  });
  return ["Show one: atomic runs show ID", ...lines, ...moreLines(runs.length, "atomic runs list")].join("\n");
}

/** How many runs the inbox could not read. Empty when it is none. */
export function describeUnreadable(count: number): string {
  return count === 0 ? "" : `${count} ${count === 1 ? "run" : "runs"} cannot be read`;
}

/**
 * What waits for a person as text, each with the command that answers it.
 *
 * @param unreadableCount how many runs could not be read
 */
export function formatInbox(items: readonly InboxItem[], unreadableCount: number): string {
  const unreadable = describeUnreadable(unreadableCount);
  const notRead = unreadable === "" ? [] : [`${unreadable}: see /runs.`];
  if (items.length === 0) return ["Nothing waits for you.", ...notRead].join(" ");
  const lines = items.slice(0, MAX_ITEMS).flatMap((item) => {
    const id = item.type === "question" ? item.request.id : item.permissionId;
    const about = safeLine(`${item.workflow} ${item.runId}: ${describeItem(item)}`, ABOUT_COLUMNS);
    const answer = item.type === "question" ? "ANSWER" : "allow|deny|always";
    return [`- ${about}`, `  atomic runs answer ${item.runId} ${answer} --request ${quoted(id)}`];
  });
  const more = moreLines(items.length, "atomic runs list --waiting");
  return ["All of a request: atomic runs show RUN", ...lines, ...more, ...notRead].join("\n");
}

function moreLines(count: number, command: string): readonly string[] {
  return count > MAX_ITEMS ? [`… ${count - MAX_ITEMS} more: ${command}`] : [];
}

/** An id as a shell reads it. */
function quoted(id: string): string {
  const line = safeLine(id, ABOUT_COLUMNS);
  return /^[\w-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}
