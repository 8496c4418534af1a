import type { AgentPrompt, PromptPart } from "../../contracts/index.ts";
import type { ChatEntry, ShellEntry, UserEntry } from "./chat-entry.ts";
import type { Attachment } from "./chat-state.ts";
import { shellOutcome } from "./shell-outcome.ts";

/** The longest conversation that another agent receives, in characters: about 15,000 tokens. */
const MAX_HAND_OVER = 60_000;

/** The most of one tool's output that it receives. */
const MAX_OUTPUT = 1_000;

/** What is sent: what the agent has to know first, the text with its pasted parts, and the files and images. */
export function composeMessage(
  text: string,
  { attachments, context }: { readonly attachments: readonly Attachment[]; readonly context: readonly string[] },
): AgentPrompt {
  const others = attachments.filter(({ part }) => part.type !== "text").map(({ part }) => part);
  const message = [...context, expandPastes(text, attachments)].join("\n\n");
  const first: PromptPart = { type: "text", text: message };
  return others.length === 0 ? message : [first, ...others];
}

/** What a message with attachments is in the conversation: the labels of all, and the texts of those that were pasted. */
export function shownMessage(
  text: string,
  attachments: readonly Attachment[],
): Pick<UserEntry, "text" | "attachments"> & { readonly pastes: NonNullable<UserEntry["pastes"]> } {
  // What a command stands for is no text of the user's.
  const pastes = attachments.flatMap(({ label, part }) =>
    part.type === "text" && label.startsWith("[") ? [{ label, text: part.text }] : [],
  );
  return { text, attachments: attachments.map(({ label }) => label), pastes };
}

/** The text with the pasted texts in place of their labels. */
export function expandPastes(text: string, attachments: readonly Attachment[]): string {
  return attachments.reduce(
    (expanded, { label, part }) => (part.type === "text" ? expanded.replace(label, () => part.text) : expanded),
    text,
  );
}

/** The conversation so far, for an agent or a session that has not seen it: the end of it, where it is long. */
export function describeConversation(entries: readonly ChatEntry[]): string | undefined {
  const parts = entries.map(describeEntry).filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const kept: string[] = [];
  let length = 0;
  for (const part of parts.toReversed()) {
    length += part.length;
    if (length > MAX_HAND_OVER) {
      kept.unshift("(The beginning is left out.)");
      break;
    }
    kept.unshift(part);
  }
  return [
    "This conversation has taken place so far. Continue it; do not repeat what is done.",
    "<conversation>",
    ...kept,
    "</conversation>",
  ].join("\n\n");
}

/** The conversation so far, as what the agent has to know with the next message. */
export function contextOf(entries: readonly ChatEntry[]): readonly string[] {
  const context = describeConversation(entries);
  return context === undefined ? [] : [context];
}

/** The user's own command and its output, for the agent. */
export function describeShell({
  command,
  output,
  ...end
}: Pick<ShellEntry, "command" | "output" | "exitCode" | "ending">): string {
  const outcome = shellOutcome(end) ?? "still running";
  return `The user ran a command:\n\n$ ${command}\n${shorten(output)}\n(${outcome.replace("exit", "exit code")})`;
}

function describeEntry(entry: ChatEntry): string | undefined {
  switch (entry.type) {
    case "user":
      return `User: ${entry.text}`;
    case "text":
      return `Agent: ${entry.text}`;
    case "tool":
      return `Tool ${entry.toolName} ${shorten(JSON.stringify(entry.input) ?? "")} (${entry.status}): ${shorten(entry.output)}`;
    case "subagent":
      return `Sub-agent ${entry.title} (${entry.status}): ${shorten(entry.result ?? "")}`;
    case "shell":
      return entry.ending === "not-run" ? undefined : describeShell(entry);
    case "thinking":
    case "notice":
    case "turn-end":
      return undefined;
  }
}

function shorten(text: string): string {
  if (text.length <= MAX_OUTPUT) return text;
  return `${text.slice(0, MAX_OUTPUT / 2)}\n…\n${text.slice(-MAX_OUTPUT / 2)}`;
}
