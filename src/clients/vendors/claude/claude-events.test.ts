import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { AgentEventBody } from "../../../contracts/index.ts";
import { joinDeltas } from "../../../testkit/conformance/client/client-talk.ts";
import { plainEvents } from "../../fixtures/turn-events.ts";
import { flushTranslation, startTranslation, translateClaudeMessage } from "./claude-events.ts";

const NOW = 1_000;

/** Messages of Claude Code 2.1.330 in scripted turns; see scripts/record-claude-events.ts. */
const RECORDED: readonly { readonly turn: string; readonly message: unknown }[] = readFileSync(
  new URL("./fixtures/recorded-events.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const TURNS = [...new Set(RECORDED.map(({ turn }) => turn))];

function recorded(turn: string): readonly unknown[] {
  return RECORDED.filter((line) => line.turn === turn).map(({ message }) => message);
}

function translate(messages: readonly unknown[]): readonly AgentEventBody[] {
  let state = startTranslation("s");
  return messages.flatMap((message) => {
    const translation = translateClaudeMessage(state, message, NOW);
    state = translation.state;
    return translation.events;
  });
}

function plain(turn: string): readonly Record<string, unknown>[] {
  return plainEvents(translate(recorded(turn)));
}

function usage(inputTokens: number, outputTokens: number, cacheReadTokens = 0): object {
  return { type: "usage", usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0 } };
}

function isDelta(message: unknown): boolean {
  return JSON.stringify(message).includes('"content_block_delta"');
}

describe("recorded turns", () => {
  test("thinking and text are separate", () => {
    expect<unknown>(plain("thinking")).toEqual([
      { type: "thinking-delta", text: "pondering " },
      { type: "thinking-delta", text: "hard " },
      { type: "thinking-delta", text: "now" },
      { type: "text-delta", text: "the " },
      { type: "text-delta", text: "answer" },
      usage(90, 9),
    ]);
  });

  test("each tool starts and ends once, and each model call counts once", () => {
    const [read, bash] = ["call_scripted_1_0", "call_scripted_1_1"];
    const command = { command: "echo hello; cat missing", description: "Say hello" };
    expect<unknown>(plain("tools")).toEqual([
      { type: "text-delta", text: "Let " },
      { type: "text-delta", text: "me " },
      { type: "text-delta", text: "look." },
      { type: "tool-start", toolId: read, toolName: "Read", kind: "read", input: { file_path: "/work/README.md" } },
      { type: "tool-start", toolId: bash, toolName: "Bash", kind: "shell", input: command },
      { type: "tool-end", toolId: read, toolName: "Read", isError: false, output: "1\tA project.\n2\t" },
      {
        type: "tool-end",
        toolId: bash,
        toolName: "Bash",
        isError: true,
        output: "Exit code 1\nhello\ncat: missing: No such file or directory",
      },
      usage(100, 20, 7),
      { type: "text-delta", text: "Both " },
      { type: "text-delta", text: "done." },
      usage(200, 30, 107),
    ]);
  });

  test("a denied tool ends with the output that the model gets", () => {
    expect<unknown>(plainEvents(translate(recorded("refused")), "tool-end")).toEqual([
      { type: "tool-end", toolId: "call_scripted_3_0", toolName: "Bash", isError: true, output: "Not on a Sunday." },
    ]);
  });

  test("a sub-agent starts and ends, its calls are counted, and its text and tools are not part of the turn", () => {
    const events = translate(recorded("subagent"));
    expect(joinDeltas(events, "text-delta")).toBe("Delegating.main done");
    expect<unknown>(plainEvents(events, "subagent-start", "subagent-end")).toEqual([
      {
        type: "subagent-start",
        subagentId: "agent1",
        title: "List it",
        subagentType: "general-purpose",
        task: "List the folder",
      },
      { type: "subagent-end", subagentId: "agent1", isError: false, result: "sub done" },
    ]);
    expect<unknown>(plainEvents(events, "usage")).toEqual([usage(200, 2), usage(50, 0), usage(60, 11), usage(300, 3)]);
    expect(plainEvents(events, "tool-start").map(({ toolName }) => toolName)).toEqual(["Agent"]);
    expect(JSON.stringify(plainEvents(events, "vendor"))).toContain("sub done");
  });

  test("an aborted turn reports its text and its usage", () => {
    expect<unknown>(plain("aborted")).toEqual([{ type: "text-delta", text: "word " }, usage(10_327, 2)]);
  });

  test("the tool that carries a structured answer is a vendor event, not a tool call", () => {
    const events = translate(recorded("structured"));
    expect<unknown>(plainEvents(events)).toEqual([usage(10_407, 8)]);
    expect(JSON.stringify(events)).toContain("StructuredOutput");
  });

  test("a retried call reports what Claude Code waits for", () => {
    expect<unknown>(plainEvents(translate(recorded("retried")), "waiting", "text-delta")).toEqual([
      { type: "waiting", reason: "overload", message: "status 529 (overloaded), attempt 1", retryAt: NOW },
      { type: "text-delta", text: "late " },
      { type: "text-delta", text: "but " },
      { type: "text-delta", text: "here" },
    ]);
  });

  test("the error message of a failed turn is not part of its text", () => {
    expect(plain("failed")).toEqual([]);
  });

  test("a compaction is reported, and its calls are counted", () => {
    expect<unknown>(plain("compacted")).toEqual([{ type: "compacted" }, usage(140, 14)]);
  });
});

describe("whatever Claude Code sends", () => {
  test("two messages without a tool between them are separate paragraphs, however their text arrives", () => {
    const start = (id: string) => ({ type: "stream_event", event: { type: "message_start", message: { id } } });
    const delta = (text: string) => ({
      type: "stream_event",
      event: { type: "content_block_delta", delta: { type: "text_delta", text } },
    });
    const end = { type: "stream_event", event: { type: "message_delta", usage: { output_tokens: 1 } } };
    const whole = (id: string, ...content: readonly object[]) => ({ type: "assistant", message: { id, content } });
    const tool = { type: "tool_use", id: "t1", name: "Read", input: {} };
    const messages = [
      ...[start("a"), delta("One, "), delta("two."), whole("a", { type: "text", text: "One, two." }), end],
      ...[
        start("b"),
        delta("Three."),
        end,
        whole("c", { type: "text", text: "Four." }, tool),
        start("d"),
        delta("Five."),
      ],
    ];
    expect(
      translate(messages).flatMap((event) =>
        event.type === "text-delta" ? [event.text] : event.type === "tool-start" ? [event.toolName] : [],
      ),
    ).toEqual(["One, ", "two.", "\n\nThree.", "\n\nFour.", "Read", "Five."]);
  });

  test("an answer that broke off in its text starts again, also where the next one is not streamed", () => {
    const start = (id: string) => ({ type: "stream_event", event: { type: "message_start", message: { id } } });
    const delta = {
      type: "stream_event",
      event: { type: "content_block_delta", delta: { type: "text_delta", text: "Half" } },
    };
    const whole = { type: "assistant", message: { id: "c", content: [{ type: "text", text: "Whole." }] } };
    const typesOf = (messages: readonly unknown[]) =>
      translate(messages).map((event) => (event.type === "text-delta" ? event.text : event.type));
    expect([typesOf([start("a"), delta, start("b"), delta, whole]), typesOf([start("a"), start("b"), delta])]).toEqual([
      ["Half", "text-restart", "usage", "\n\nHalf", "text-restart", "usage", "\n\nWhole."],
      ["usage", "Half"],
    ]);
  });

  test("the text is complete without any delta, and with the whole text before its deltas", () => {
    const messages = recorded("thinking");
    const start = messages.slice(0, messages.findIndex(isDelta));
    const whole = messages.slice(start.length).filter((message) => !isDelta(message));
    for (const order of [
      [...start, ...whole],
      [...start, ...whole, ...messages.filter(isDelta)],
    ]) {
      const events = translate(order);
      expect([joinDeltas(events, "thinking-delta"), joinDeltas(events, "text-delta")]).toEqual([
        "pondering hard now",
        "the answer",
      ]);
    }
  });

  test("an answer that was not streamed is reported and counted, too", () => {
    const answer = {
      id: "msg_1",
      model: "m",
      content: [{ type: "text", text: "At once." }],
      usage: { input_tokens: 5, output_tokens: 2, cache_creation_input_tokens: 3 },
    };
    const messages = [
      { type: "assistant", uuid: "1", message: answer, parent_tool_use_id: null },
      { type: "result", subtype: "success", uuid: "2" },
    ];
    expect<unknown>(plainEvents(translate(messages))).toEqual([
      { type: "text-delta", text: "At once." },
      { type: "usage", usage: { inputTokens: 5, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 3 } },
    ]);
  });

  test("repeated messages other than deltas are reported once", () => {
    for (const turn of TURNS) {
      const messages = recorded(turn).filter((message) => !isDelta(message));
      const doubled = messages.flatMap((message) => [message, message]);
      const once = plainEvents(translate(messages), "text-delta", "thinking-delta", "tool-start", "tool-end", "usage");
      expect(
        plainEvents(translate(doubled), "text-delta", "thinking-delta", "tool-start", "tool-end", "usage"),
      ).toEqual(once);
    }
  });

  test("a turn that ends early counts its last call and ends its sub-agents", () => {
    const messages = recorded("subagent");
    const isEnd = (message: unknown) => JSON.stringify(message).includes('"task_updated"');
    let state = startTranslation("s");
    for (const message of messages.slice(0, messages.findIndex(isEnd))) {
      state = translateClaudeMessage(state, message, NOW).state;
    }
    expect<unknown>(plainEvents(flushTranslation(state))).toEqual([
      { type: "subagent-end", subagentId: "agent1", isError: true },
      usage(50, 0),
      usage(60, 0),
      usage(200, 2),
    ]);
  });

  test("no order, repetition or loss of messages throws, or ends a tool or a sub-agent that did not start", () => {
    const anyStream = fc.constantFrom(...TURNS).chain((turn) => {
      const messages = [...recorded(turn)];
      return fc.tuple(fc.shuffledSubarray([...messages, ...messages]), fc.nat({ max: messages.length }));
    });
    fc.assert(
      fc.property(anyStream, ([messages, length]) => {
        const open = new Set<string>();
        for (const event of translate(messages.slice(0, length))) {
          if (event.type === "tool-start") open.add(event.toolId);
          if (event.type === "subagent-start") open.add(event.subagentId);
          if (event.type === "tool-end") expect(open.delete(event.toolId)).toBe(true);
          if (event.type === "subagent-end") expect(open.delete(event.subagentId)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a stream that is cut at any place has reported a prefix of its text", () => {
    for (const turn of TURNS) {
      const messages = recorded(turn);
      const text = joinDeltas(translate(messages), "text-delta");
      for (let length = 0; length <= messages.length; length += 1) {
        expect(text.startsWith(joinDeltas(translate(messages.slice(0, length)), "text-delta"))).toBe(true);
      }
    }
  });

  test("nonsense in known messages does not throw", () => {
    const types = ["stream_event", "assistant", "user", "system", "result", "command_lifecycle", "made_up"];
    const subtypes = ["task_started", "task_updated", "task_notification", "api_retry", "compact_boundary", "init"];
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.constantFrom(...subtypes),
        fc.dictionary(fc.constantFrom("message", "event", "uuid", "patch", "task_id", "subtype"), fc.jsonValue()),
        (type, subtype, fields) => {
          translate([
            { type, subtype, ...fields },
            { ...fields, type, parent_tool_use_id: "call_1" },
          ]);
        },
      ),
    );
  });

  test.each([{ raw: undefined }, { raw: null }, { raw: "text" }, { raw: [] }])(
    "anything but a message is passed on as a vendor event: %p",
    ({ raw }) => {
      expect(translate([raw])).toEqual([{ type: "vendor", sessionId: "s", name: "unknown", data: {} }]);
    },
  );

  test("an unknown message is passed on unchanged", () => {
    const message = { type: "made_up", subtype: "thing", anything: [1, 2] };
    expect(translate([message])).toEqual([{ type: "vendor", sessionId: "s", name: "made_up/thing", data: message }]);
  });
});

test("many calls and messages take linear time: nothing is copied", () => {
  const first = startTranslation("s");
  const { texts, seen, tools, ledger } = first;
  const { subagentCalls } = ledger;
  let state = first;
  for (let index = 0; index < 2_000; index++) {
    const id = `call_${index}`;
    const content = [
      { type: "text", text: "a" },
      { type: "tool_use", id, name: "Read", input: {} },
    ];
    for (const message of [
      { type: "assistant", uuid: `a${index}`, message: { id: `msg_${index}`, content } },
      { type: "assistant", parent_tool_use_id: id, message: { id: `sub_${index}` } },
      { type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "b" }] } },
    ]) {
      state = translateClaudeMessage(state, message, NOW).state;
    }
  }
  expect([state.texts === texts, state.seen === seen, state.tools === tools]).toEqual([true, true, true]);
  expect(state.ledger.subagentCalls === subagentCalls).toBe(true);
  expect([texts.size, seen.size, tools.size, subagentCalls.size]).toEqual([2_000, 2_000, 2_000, 2_000]);
});
