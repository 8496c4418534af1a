import { describe, expect, test } from "bun:test";
import { NotSignedInError } from "../../../contracts/index.ts";
import { addMessage, advanceClaudeTurn, type ClaudeTurn, startClaudeTurn } from "./claude-turn.ts";

const NOW = 5_000;

function advance(turn: ClaudeTurn, ...messages: readonly unknown[]): ClaudeTurn {
  return messages.reduce<ClaudeTurn>((soFar, message) => advanceClaudeTurn(soFar, message, NOW), turn);
}

function result(...ids: readonly string[]): Record<string, unknown> {
  return { type: "result", subtype: "success", user_message_uuids: ids };
}

function retry(attempt: number, error_status: number): Record<string, unknown> {
  return { type: "system", subtype: "api_retry", attempt, retry_delay_ms: 700, error_status, error: "refused" };
}

describe("the end of a turn", () => {
  test("is the result that names its message", () => {
    expect(advance(startClaudeTurn("a"), result("a"))).toEqual({
      messageIds: ["a"],
      unanswered: [],
      result: result("a"),
    });
  });

  test("is not the result of another turn", () => {
    expect(advance(startClaudeTurn("b"), result("a"))).toEqual(startClaudeTurn("b"));
  });

  test.each([{ user_message_uuid: "a" }, {}])("is recognized from older versions, too: %p", (named) => {
    const message = { type: "result", subtype: "success", ...named };
    expect(advance(startClaudeTurn("a"), message).result).toEqual(message);
  });

  test("waits until an added message is answered, together with the first or after it", () => {
    const both = addMessage(startClaudeTurn("a"), "b");
    expect(advance(both, result("a", "b")).result).toEqual(result("a", "b"));
    expect(advance(both, result("a")).result).toBeUndefined();
    expect(advance(both, result("a"), result("b")).result).toEqual(result("b"));
  });

  test("does not wait for an added message that was dropped", () => {
    const dropped = { type: "command_lifecycle", command_uuid: "b", state: "cancelled" };
    expect(advance(addMessage(startClaudeTurn("a"), "b"), dropped, result("a")).result).toEqual(result("a"));
  });
});

describe("the progress of a turn", () => {
  test("contains the provider's error and the time of the retry", () => {
    const failed = { type: "assistant", error: "rate_limit", parent_tool_use_id: null };
    const { errorKind, retry: waiting } = advance(startClaudeTurn("a"), retry(1, 529), failed);
    expect<unknown>([errorKind, waiting]).toEqual([
      "rate_limit",
      { attempt: 1, delayMs: 700, status: 529, kind: "refused", retryAt: NOW + 700 },
    ]);
  });

  test("forgets a failed attempt after an answer", () => {
    const answer = { type: "assistant", message: {}, parent_tool_use_id: null };
    expect(advance(startClaudeTurn("a"), retry(1, 529), answer).retry).toBeUndefined();
  });

  test("contains the end of the user's limit, which is reported in seconds", () => {
    const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_800_000_000 } };
    expect(advance(startClaudeTurn("a"), limit).limitResetsAt).toBe(1_800_000_000_000);
    const warning = {
      type: "rate_limit_event",
      rate_limit_info: { status: "allowed_warning", resetsAt: 1_800_000_000 },
    };
    expect(advance(startClaudeTurn("a"), warning).limitResetsAt).toBeUndefined();
  });

  test("is hopeless when a login is still rejected after it could have been renewed", () => {
    expect(advance(startClaudeTurn("a"), retry(1, 401)).hopeless).toBeUndefined();
    expect(advance(startClaudeTurn("a"), retry(1, 401), retry(2, 401)).hopeless).toEqual(
      new NotSignedInError("claude", "claude auth login", {
        detail: "the provider answered 401",
        variable: "ANTHROPIC_API_KEY",
      }),
    );
  });
});
