import type { ChatState } from "../chat/chat-state.ts";
import { labelled } from "../terminal/plain-lines.ts";
import { continueLine, formatEnding } from "../terminal/print-on-exit.ts";
import { entryToLines, hasGapBefore } from "../transcript/entry-to-lines.ts";
import type { ChatServices } from "./create-services.ts";
import { type UnsentTexts, unsentLines } from "./unsent-lines.ts";

interface EndingPlace {
  readonly columns: number;
  readonly rows: number;
  readonly mode: "full" | "inline";
  readonly unsent: UnsentTexts;
}

/** What the normal screen shows after the chat: its end, unless it is there already, what was not sent, and how to continue it. */
export function describeEnding(
  { chat, glyphs, host }: Pick<ChatServices, "chat" | "glyphs" | "host">,
  { columns, rows, mode, unsent }: EndingPlace,
): string {
  const state = chat.snapshot();
  const { workingDirectory } = host;
  return formatEnding(mode === "full" ? state.model.entries : [], {
    ...{ columns, rows, hasGapBefore, ellipsis: glyphs.ellipsis },
    formatEntry: (entry, room) =>
      entryToLines(entry, { columns: room, glyphs, workingDirectory }).map(({ text }) => text),
    unsent: unsentLines(unsent),
    continueCommand: continueCommandOf(state),
  });
}

/** The same in lines of the plain mode, which has printed the conversation already. */
export function describePlainEnding(state: ChatState, unsent: UnsentTexts): readonly string[] {
  const continueCommand = continueCommandOf(state);
  const texts = [unsentLines(unsent).join("\n"), continueCommand === undefined ? "" : continueLine(continueCommand)];
  return texts.filter((text) => text !== "").flatMap((text) => labelled("atomic", text));
}

function continueCommandOf({ sessionId, agentType, capabilities }: ChatState): string | undefined {
  // Another process cannot continue a scripted conversation.
  if (sessionId === undefined || capabilities?.resume !== true || agentType === "scripted") return undefined;
  // The agent chose the id, and people paste it into a shell.
  return /^[\w.:@+-]+$/.test(sessionId) ? `atomic --session ${sessionId} --agent ${agentType}` : undefined;
}
