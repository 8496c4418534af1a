import type { ModelProtocol } from "./model-request.ts";

/** The body of an error in the shape the protocol's clients read. */
export function encodeError(protocol: ModelProtocol, status: number, message: string): object {
  if (protocol === "anthropic-messages") return { type: "error", error: { type: anthropicType(status), message } };
  return { error: { message, type: openaiType(status), param: null, code: openaiCode(status) } };
}

function anthropicType(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

function openaiType(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

function openaiCode(status: number): string | null {
  if (status === 401) return "invalid_api_key";
  return status === 429 ? "rate_limit_exceeded" : null;
}
