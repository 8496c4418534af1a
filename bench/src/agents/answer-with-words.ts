import type { ModelReply, ModelRequest } from "../../../src/testkit/index.ts";

/** The tools that read a file, and what each calls its argument. */
const READING_TOOLS: Readonly<Record<string, string>> = { Read: "file_path", read: "filePath", view: "path" };

/**
 * The answer to the user's last message: the number of words that it names ("2000 words"), each as a separate piece of
 * the stream, otherwise "Hi.". After "Read FILE 20 times", the model first calls the agent's reading tool 20 times in
 * sequence. Side requests of an agent (for a title), which have no tools, get a short answer.
 */
export function answerWithWords(request: Pick<ModelRequest, "messages" | "toolNames">): ModelReply {
  const { messages, toolNames } = request;
  const call = nextCall(request);
  if (call !== undefined) return call;
  const asked = messages.findLast(({ role }) => role === "user")?.text ?? "";
  const count = toolNames.length === 0 ? 0 : Number(/\b(\d+) words\b/.exec(asked)?.[1] ?? 0);
  return { type: "message", text: count === 0 ? "Hi." : Array.from({ length: count }, wordAt).join(" ") };
}

function nextCall({ messages, toolNames }: Pick<ModelRequest, "messages" | "toolNames">): ModelReply | undefined {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const asked = /^Read (\S+) (\d+) times/m.exec(messages[lastUser]?.text ?? "");
  const name = toolNames.find((tool) => Object.hasOwn(READING_TOOLS, tool));
  if (asked === null || name === undefined) return undefined;
  const [, file, count] = asked;
  const made = messages.slice(lastUser).filter(({ role }) => role === "assistant").length;
  if (made >= Number(count)) return undefined;
  return { type: "message", toolCalls: [{ name, input: { [READING_TOOLS[name] ?? ""]: file } }] };
}

/** How many words a text has; none where there is no text. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Words of the length that a model's pieces have. */
function wordAt(_: unknown, index: number): string {
  return `w${index}`;
}
