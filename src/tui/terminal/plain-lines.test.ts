import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import type { ChatEntry, ToolEntry } from "../chat/chat-entry.ts";
import { EMPTY_CHAT, reduceChat } from "../chat/chat-model.ts";
import { PlainLines } from "./plain-lines.ts";

function linesOf(...states: readonly (readonly ChatEntry[])[]): readonly (readonly string[])[] {
  const lines = new PlainLines({ hasUserLines: true });
  return states.map((entries) => lines.next({ entries, conversation: 0 }, "claude"));
}

const TOOL: ToolEntry = {
  ...{ type: "tool", id: "e1", at: 0, toolId: "t1", toolName: "Bash", kind: "shell", output: "" },
  ...{ input: { command: "npm test" }, status: "running" },
};

describe("PlainLines", () => {
  test("labels the user's and the agent's text, and marks each further line", () => {
    const entries: readonly ChatEntry[] = [
      { type: "user", id: "e1", at: 0, text: "Fix it\nplease", attachments: ["[image 1]"], isSteering: false },
      { type: "text", id: "e2", at: 0, text: "Done.\n\nclaude: really\n", isStreaming: false },
    ];
    expect(linesOf(entries, entries)).toEqual([
      ["you: Fix it", "  please", "  [image 1]", "claude: Done.", "|", "| claude: really"],
      [],
    ]);
  });

  test("prints another conversation from its start, with the messages that were not typed here", () => {
    const lines = new PlainLines({ hasUserLines: false });
    const said = (text: string): readonly ChatEntry[] => [
      { type: "user", id: "e1", at: 0, text, attachments: [], isSteering: false },
      { type: "text", id: "e2", at: 0, text: `re: ${text}`, isStreaming: false },
    ];
    const printed = [
      { entries: said("one"), conversation: 0 },
      { entries: [], conversation: 1 },
      { entries: said("two"), conversation: 1 },
      { entries: said("three"), conversation: 2 },
    ].map((model) => lines.next(model, "claude"));
    expect(printed).toEqual([["claude: re: one"], [], ["claude: re: two"], ["you: three", "claude: re: three"]]);
  });

  test("prints whole lines of text while it streams, each once", () => {
    const text = (soFar: string, isStreaming = true): readonly ChatEntry[] => [
      { type: "text", id: "e1", at: 0, text: soFar, isStreaming },
    ];
    expect(
      linesOf(
        text("\n"),
        text("\nOne"),
        text("\nOne\nTw"),
        text("\nOne\nTwo\n\nThree"),
        text("\nOne\nTwo\n\nThree", false),
      ),
    ).toEqual([[], [], ["claude: One"], ["| Two", "|"], ["| Three"]]);
  });

  const MARKDOWN = [
    ...[
      "# Plan",
      "",
      "**Two** parts of `cart.ts`, see [docs](https://a.b/c).",
      "- one",
      "  * two",
      "1. three",
      "- [x] four",
    ],
    ...["> quoted", "---", "```ts", "const x = **1**;", "", "| a |", "```", "| Name | Count |", "| --- | ---: |"],
    ...["| **a** | 1 |", "| b | |", "End."],
  ];
  const READ = [
    ...["claude: Plan", "|", "| Two parts of cart.ts, see docs (https://a.b/c).", "| - one", "|   - two", "| 1. three"],
    ...[
      "| [x] four",
      "| > quoted",
      "|",
      "|   const x = **1**;",
      "|",
      "|   | a |",
      "| Name: a; Count: 1",
      "| Name: b",
      "| End.",
    ],
  ];

  test("prints an answer that starts again whole, after a line that says so", () => {
    const events = (
      [
        { type: "turn-start" },
        { type: "text-delta", text: "Half of it\nis here" },
        { type: "text-restart" },
        { type: "text-delta", text: "\n\nAll of it\nis here.\n" },
      ] as const
    ).map((event) => ({ ...event, sessionId: "s", at: 0 }));
    const states = events.map((_, index) => events.slice(0, index + 1).reduce(reduceChat, EMPTY_CHAT).entries);
    expect(linesOf(...states)).toEqual([
      [],
      ["claude: Half of it"],
      ["atomic: The answer broke off, and starts again."],
      ["claude: All of it", "| is here."],
    ]);
  });

  test("prints Markdown without its signs, the same whether it streams or not", () => {
    const entry = { type: "text", id: "e1", at: 0 } as const;
    const whole = MARKDOWN.join("\n");
    expect(linesOf([{ ...entry, text: whole, isStreaming: false }])).toEqual([READ]);
    const states = Array.from({ length: whole.length + 1 }, (_, end): readonly ChatEntry[] => [
      { ...entry, text: whole.slice(0, end), isStreaming: end < whole.length },
    ]);
    expect(linesOf(...states).flat()).toEqual(READ);
  });

  test("waits for the end of a code block and of a table, and loses neither when the chat ends", () => {
    const text = (soFar: string): readonly ChatEntry[] => [
      { type: "text", id: "e1", at: 0, text: soFar, isStreaming: true },
    ];
    const lines = new PlainLines({ hasUserLines: true });
    const steps = ["```sh\nls\n", "```sh\nls\n```\n", "```sh\nls\n```\n| a | b |\n|--|--|\n| 1 | 2 |\n"];
    expect(steps.map((step) => lines.next({ entries: text(step), conversation: 0 }, "claude"))).toEqual([
      [],
      ["claude:", "|   ls"],
      [],
    ]);
    expect(lines.rest({ entries: text(steps.at(-1) ?? ""), conversation: 0 }, "claude")).toEqual(["| a: 1; b: 2"]);
    expect(lines.rest({ entries: text(steps.at(-1) ?? ""), conversation: 0 }, "claude")).toEqual([]);
  });

  test("prints Markdown of notices and sub-agents without its signs", () => {
    expect(
      linesOf([
        { type: "notice", id: "e1", at: 0, tone: "info", text: "## Keys\n\n- `esc` stops", isMarkdown: true },
        {
          ...{ type: "subagent", id: "e2", at: 0, subagentId: "s", title: "Look", status: "done", endedAt: 3_000 },
          result: "**Found** it\n```\nx\n```",
        },
      ]),
    ).toEqual([
      ["atomic: Keys", "", "  - esc stops", "agent: Look started", "agent: Look done in 3s", "| Found it", "|   x"],
    ]);
  });

  test("prints a tool when it starts and when it ends", () => {
    expect(linesOf([TOOL], [TOOL], [{ ...TOOL, status: "done", endedAt: 2_400 }])).toEqual([
      ["tool: Bash npm test"],
      [],
      ["tool: Bash npm test done in 2s"],
    ]);
  });

  test("prints the output of a failed tool, and why one was denied", () => {
    const output = Array.from({ length: 22 }, (_, index) => `line ${index + 1}`).join("\n");
    const [failed] = linesOf([{ ...TOOL, status: "failed", output, endedAt: 900 }]);
    expect(failed?.slice(0, 4)).toEqual([
      "tool: Bash npm test",
      "tool: Bash npm test failed after 900ms",
      "| (2 lines before)",
      "| line 3",
    ]);
    expect(failed?.at(-1)).toBe("| line 22");
    expect(linesOf([{ ...TOOL, status: "denied", reason: "No rule allows it.", endedAt: 0 }])).toEqual([
      ["tool: Bash npm test", "tool: Bash npm test was denied. No rule allows it."],
    ]);
  });

  test("prints thoughts, sub-agents, commands, notices and the end of a turn", () => {
    expect(
      linesOf([
        { type: "thinking", id: "e1", at: 0, text: "hm", endedAt: 8_000 },
        { type: "thinking", id: "e2", at: 0, text: "hm", endedAt: 100 },
        {
          type: "subagent",
          id: "e3",
          at: 0,
          subagentId: "s",
          title: "Find it",
          subagentType: "explorer",
          status: "done",
          result: "src/cart.ts",
          endedAt: 3_000,
        },
        { type: "shell", id: "e4", at: 0, command: "ls", output: "a\nb\n", exitCode: 1, endedAt: 20 },
        { type: "shell", id: "e8", at: 0, command: "rm x", output: "", ending: "not-run", endedAt: 20 },
        { type: "shell", id: "e9", at: 0, command: "sleep 9", output: "", ending: "stopped", endedAt: 20 },
        { type: "notice", id: "e5", at: 0, tone: "warning", text: "Careful.", isMarkdown: false },
        { type: "notice", id: "e6", at: 0, tone: "info", text: "Stored.", isMarkdown: false },
        {
          type: "turn-end",
          id: "e7",
          at: 0,
          outcome: "completed",
          durationMs: 12_000,
          usage: { ...NO_USAGE, inputTokens: 12_400 },
        },
      ]),
    ).toEqual([
      [
        "thinking: 8s",
        "agent: Find it, explorer started",
        "agent: Find it, explorer done in 3s",
        "| src/cart.ts",
        "shell: ls",
        "| a",
        "| b",
        "shell: exit 1 after 20ms",
        "shell: rm x",
        "shell: did not run",
        "shell: sleep 9",
        "shell: stopped after 20ms",
        "warning: Careful.",
        "atomic: Stored.",
        "done: 12s, 12.4k tokens",
      ],
    ]);
  });

  test("makes hostile text harmless", () => {
    expect(
      linesOf([
        { type: "text", id: "e1", at: 0, text: "\u001b[2Ja\u202eb\rc\u001b]52;c;eA==\u0007", isStreaming: false },
      ]),
    ).toEqual([["claude: ab", "| c"]]);
  });

  test("a carriage return is a line break, also where a text streams in parts", () => {
    const text = (soFar: string): readonly ChatEntry[] => [
      { type: "text", id: "e1", at: 0, text: soFar, isStreaming: true },
    ];
    expect(
      linesOf(
        text("One\r"),
        text("One\r\n```\r\na"),
        text("One\r\n```\r\na\rb\r```\rEnd\r"),
        text("One\r\n```\r\na\rb\r```\rEnd\rx"),
      ),
    ).toEqual([[], ["claude: One"], ["|   a", "|   b"], ["| End"]]);
  });
});
