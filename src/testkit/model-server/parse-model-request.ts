import { recordOf, recordsOf, stringOf, type UnknownRecord } from "../../contracts/index.ts";
import type { ModelMessage, ModelProtocol, ModelRequestContent } from "./model-request.ts";

/** Parses a request body leniently: fields that are missing or have the wrong type count as empty. */
export function parseModelRequest(protocol: ModelProtocol, body: unknown): ModelRequestContent {
  const fields = recordOf(body);
  return {
    model: stringOf(fields.model),
    messages: mergeAssistantTurns(parseMessages(protocol, fields)),
    toolNames: recordsOf(fields.tools).flatMap(parseToolNames),
    isStreaming: fields.stream === true,
  };
}

function parseMessages(protocol: ModelProtocol, fields: UnknownRecord): readonly ModelMessage[] {
  switch (protocol) {
    case "openai-chat":
      return recordsOf(fields.messages).flatMap(parseChatMessage);
    case "openai-responses":
      return [...parseSystem(fields.instructions), ...parseResponsesInput(fields.input)];
    case "anthropic-messages":
      return [...parseSystem(fields.system), ...recordsOf(fields.messages).flatMap(parseAnthropicMessage)];
  }
}

function parseChatMessage(message: UnknownRecord): readonly ModelMessage[] {
  return createMessages(parseRole(message.role), textsOf(message.content));
}

function parseResponsesInput(input: unknown): readonly ModelMessage[] {
  if (typeof input === "string") return createMessages("user", [input]);
  return recordsOf(input).flatMap(parseResponsesItem);
}

function parseResponsesItem(item: UnknownRecord): readonly ModelMessage[] {
  const type = stringOf(item.type);
  if (type.endsWith("_output")) return createMessages("tool", textsOf(item.output));
  if (item.role !== undefined) return createMessages(parseRole(item.role), textsOf(item.content));
  return createMessages("assistant", []); // reasoning, a tool call, or a reference to an earlier answer
}

/** A user message may contain tool results and text. The results come first, as the model must read them. */
function parseAnthropicMessage(message: UnknownRecord): readonly ModelMessage[] {
  const role = parseRole(message.role);
  const blocks = recordsOf(message.content);
  const results = blocks.filter((block) => block.type === "tool_result");
  const texts =
    typeof message.content === "string"
      ? [message.content]
      : blocks.filter((block) => block.type === "text").map((block) => stringOf(block.text));
  const answers = results.flatMap((result) => createMessages("tool", textsOf(result.content)));
  return results.length > 0 && texts.length === 0 ? answers : [...answers, ...createMessages(role, texts)];
}

function parseSystem(system: unknown): readonly ModelMessage[] {
  const texts = textsOf(system);
  return texts.length === 0 ? [] : createMessages("system", texts);
}

function parseRole(role: unknown): ModelMessage["role"] {
  switch (role) {
    case "system":
    case "developer":
      return "system";
    case "assistant":
      return "assistant";
    case "tool":
    case "function":
      return "tool";
    default:
      return "user";
  }
}

/** The text parts of a content field, which is a string or a list of parts in every protocol. */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === "string") return [content];
  return recordsOf(content).flatMap((part) => (typeof part.text === "string" ? [part.text] : []));
}

function createMessages(role: ModelMessage["role"], texts: readonly string[]): readonly ModelMessage[] {
  if (role !== "user") return [{ role, text: texts.join("\n") }];
  const reminders = texts.filter(isReminder);
  const own = texts.filter((text) => !isReminder(text));
  const asSystem = reminders.map((text): ModelMessage => ({ role: "system", text }));
  return own.length === 0 && reminders.length > 0 ? asSystem : [...asSystem, { role, text: own.join("\n") }];
}

function isReminder(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith("<system-reminder>") && trimmed.endsWith("</system-reminder>");
}

function mergeAssistantTurns(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === "assistant" && message.role === "assistant") {
      const text = [last.text, message.text].filter((part) => part !== "").join("\n");
      merged[merged.length - 1] = { role: "assistant", text };
    } else {
      merged.push(message);
    }
  }
  return merged;
}

function parseToolNames(tool: UnknownRecord): readonly string[] {
  if (tool.type === "namespace") {
    return recordsOf(tool.tools).map((inner) => `${stringOf(tool.name)}/${stringOf(inner.name)}`);
  }
  return [stringOf(recordOf(tool.function).name) || stringOf(tool.name) || stringOf(tool.type)];
}
