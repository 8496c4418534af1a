import type { ModelReply, ModelRequest } from "../../../src/testkit/index.ts";

/**
 * The answer to the last message of the user: as many words as it names ("2000 words"), each of which is a piece of the
 * stream of its own, else "Hi.". What an agent asks beside the conversation (a title), which it does without tools, is
 * answered shortly.
 */
export function answerWithWords({ messages, toolNames }: Pick<ModelRequest, "messages" | "toolNames">): ModelReply {
  const asked = messages.findLast(({ role }) => role === "user")?.text ?? "";
  const count = toolNames.length === 0 ? 0 : Number(/\b(\d+) words\b/.exec(asked)?.[1] ?? 0);
  return { type: "message", text: count === 0 ? "Hi." : Array.from({ length: count }, wordAt).join(" ") };
}

/** How many words a text has; none where there is no text. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Words of the length that a model's pieces have. */
function wordAt(_: unknown, index: number): string {
  return `w${index}`;
}
