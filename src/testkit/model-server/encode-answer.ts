import { encodeMessagesBody, encodeMessagesStream } from "./encode-anthropic-messages.ts";
import { encodeChatBody, encodeChatStream } from "./encode-openai-chat.ts";
import { encodeResponsesBody, encodeResponsesStream } from "./encode-openai-responses.ts";
import type { ModelAnswer } from "./model-answer.ts";
import type { ModelRequest } from "./model-request.ts";
import type { StreamFrame } from "./stream-frame.ts";

/** The body of a whole answer in the protocol of the request. */
export function encodeBody(request: ModelRequest, answer: ModelAnswer): object {
  switch (request.protocol) {
    case "openai-chat":
      return encodeChatBody(answer);
    case "openai-responses":
      return encodeResponsesBody(answer);
    case "anthropic-messages":
      return encodeMessagesBody(answer);
  }
}

/** The events of a streamed answer in the protocol of the request. */
export function encodeStream(request: ModelRequest, answer: ModelAnswer): readonly StreamFrame[] {
  switch (request.protocol) {
    case "openai-chat":
      return encodeChatStream(answer, request.body);
    case "openai-responses":
      return encodeResponsesStream(answer);
    case "anthropic-messages":
      return encodeMessagesStream(answer);
  }
}
