import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { type AgentPrompt, mentionOf, type PromptPart, promptPartsOf } from "../../../contracts/index.ts";

type ContentBlock = Exclude<SDKUserMessage["message"]["content"], string>[number];
type ImageSource = Extract<ContentBlock, { type: "image" }>["source"];
type ImageType = Extract<ImageSource, { type: "base64" }>["media_type"];

/** When Claude Code reads a message during a turn. */
export type MessagePriority = "next" | "later";

/** A message in Claude Code's form. A string stays a string, or commands such as `/compact` would not work. */
export function toUserMessage(
  prompt: AgentPrompt,
  { id, priority }: { readonly id: MessageId; readonly priority?: MessagePriority },
): SDKUserMessage {
  const content = typeof prompt === "string" ? prompt : promptPartsOf(prompt).map(toBlock);
  return {
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    uuid: id,
    ...(priority === undefined ? {} : { priority }),
  };
}

/** The UUID of a user's message. */
export type MessageId = NonNullable<SDKUserMessage["uuid"]>;

function toBlock(part: PromptPart): ContentBlock {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "file":
      return { type: "text", text: mentionOf(part.path) };
    case "image": {
      // The provider rejects unknown types with an error that names them.
      const mediaType = part.mimeType as ImageType;
      return { type: "image", source: { type: "base64", media_type: mediaType, data: part.data } };
    }
  }
}
