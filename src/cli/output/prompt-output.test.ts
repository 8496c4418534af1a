import { expect, test } from "bun:test";
import pc from "picocolors";
import { type AgentEvent, type AgentReply, NO_USAGE } from "../../contracts/index.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { createStatusLine, type StatusLine } from "../progress/status-line.ts";
import { createJsonPromptOutput, createTextPromptOutput } from "./prompt-output.ts";

const sessionId = "s1";
const at = 1;
const REPLY: AgentReply = { type: "text", content: "Whole.", usage: NO_USAGE, toolUses: 0, deniedPermissions: [] };

const text = (part: string): AgentEvent => ({ type: "text-delta", sessionId, at, text: part });
const TOOL: AgentEvent = {
  type: "tool-start",
  sessionId,
  at,
  toolId: "t",
  toolName: "bash",
  kind: "shell",
  input: { command: "npm test\u001b[2J" },
};
const RESTART: AgentEvent = { type: "text-restart", sessionId, at };
const END: AgentEvent = { type: "turn-end", sessionId, at, outcome: "completed" };

function show(
  events: readonly AgentEvent[],
  { isTTY = false, reply = REPLY, isStructured = false } = {},
): readonly [string, string] {
  const stdout = new TextStream({ isTTY });
  const stderr = new TextStream({ isTTY });
  const output = createTextPromptOutput({ stdout, stderr }, { colors: pc.createColors(false), isStructured });
  for (const event of events) output.onEvent(event);
  output.onReply(reply);
  return [stdout.text, stderr.text];
}

test.each<{
  title: string;
  events: readonly AgentEvent[];
  isTTY?: boolean;
  reply?: AgentReply;
  isStructured?: boolean;
  shown: readonly [string, string];
}>([
  {
    title: "streamed text, ended by a line break",
    events: [text("Hel"), text("lo."), END],
    shown: ["Hello.\n", ""],
  },
  {
    title: "a paragraph that follows a note, with one empty line before it",
    events: [text("Look."), TOOL, text("\n\nDone."), END],
    shown: ["Look.\n\nDone.\n", "● bash npm test\n"],
  },
  {
    title: "an answer that broke off, and then the whole one",
    events: [text("Half of"), RESTART, text("\n\nHalf of it is"), text(" here."), END],
    shown: ["Half of\n\nHalf of it is here.\n", "… the answer broke off, and starts again\n"],
  },
  {
    title: "nothing about an answer that broke off before its text",
    events: [RESTART, text("Here."), END],
    shown: ["Here.\n", ""],
  },
  { title: "an answer that was not streamed", events: [END], shown: ["Whole.\n", ""] },
  {
    title: "a carriage return as a line break, also one that arrives in two parts",
    events: [text("rm -rf /\recho\r"), text("\n"), text("\nEnd"), END],
    shown: ["rm -rf /\necho\n\nEnd\n", ""],
  },
  {
    title: "only the structured answer on standard output",
    events: [text("Let me see: "), TOOL, text('{"ok":'), text("true}"), END],
    reply: { ...REPLY, content: 'Let me see: {"ok":true}', structured: { ok: true, note: "a\u009b" } },
    isStructured: true,
    shown: ['{"ok":true,"note":"a\\u009b"}\n', "● bash npm test\n"],
  },
  {
    title: "tool calls on standard error, and the answer after them in a new paragraph",
    events: [text("Look."), TOOL, text("Done."), END],
    shown: ["Look.\n\nDone.\n", "● bash npm test\n"],
  },
  {
    title: "tool calls on lines of their own when both outputs share a terminal",
    events: [text("Look."), TOOL, text("Done."), END],
    isTTY: true,
    shown: ["Look.\n\nDone.\n", "● bash npm test\n"],
  },
  {
    title: "an agent's text without control sequences",
    events: [text("a\u001b]0;x\u0007b\u202e"), END],
    shown: ["ab\n", ""],
  },
  {
    title: "a denied call and the reason",
    events: [
      {
        type: "permission-denied",
        sessionId,
        at,
        denied: { toolName: "bash", kind: "shell", title: "bash: rm", reason: "No." },
      },
      text("Ok."),
      END,
    ],
    shown: ["Ok.\n", "⊘ denied: bash: rm (No.)\n"],
  },
  {
    title: "the reason of a wait",
    events: [
      { type: "waiting", sessionId, at, reason: "rate-limit", message: "Too many" },
      { type: "waiting", sessionId, at, reason: "rate-limit", message: "Too many" },
      { type: "waiting", sessionId, at, reason: "rate-limit", message: "Too many", attempt: 2 },
      { type: "stalled", sessionId, at, silentMs: 1_200 },
      { type: "compacted", sessionId, at },
      { type: "subagent-start", sessionId, at, subagentId: "a", title: "Explore" },
      END,
    ],
    shown: [
      "Whole.\n",
      "… waiting (rate-limit): Too many\n… waiting (rate-limit, attempt 2 failed): Too many\n… no sign of life for 2 s\n● the conversation was compacted\n● sub-agent: Explore\n",
    ],
  },
])("a person sees $title", ({ events, shown, ...options }) => {
  expect(show(events, options)).toEqual(shown);
});

/** A status line that records when it is visible, and its text. */
function recordStatus(): { readonly status: StatusLine; readonly log: string[] } {
  const log: string[] = [];
  const status: StatusLine = {
    show: (activity) => log.push(`show ${activity}`),
    hide: () => log.push("hide"),
    pause: () => () => undefined,
    close: () => log.push("close"),
  };
  return { status, log };
}

test("the status line is hidden while text streams, and visible while a tool runs", () => {
  const { status, log } = recordStatus();
  const [stdout, stderr] = [new TextStream({ isTTY: true }), new TextStream({ isTTY: true })];
  const output = createTextPromptOutput(
    { stdout, stderr },
    { colors: pc.createColors(false), isStructured: false, status },
  );
  const thinking: AgentEvent = { type: "thinking-delta", sessionId, at, text: "Hm" };
  const toolEnd: AgentEvent = {
    type: "tool-end",
    sessionId,
    at,
    toolId: "t",
    toolName: "bash",
    isError: false,
    output: "",
  };
  for (const event of [thinking, text("Look."), thinking, TOOL, toolEnd, text("Done."), END]) output.onEvent(event);
  output.onReply(REPLY);
  expect(log).toEqual(["show thinking", "hide", "hide", "show bash npm test", "show ", "hide", "hide", "close"]);
});

test("the status line is visible in every turn until the answer conforms to its schema", () => {
  const stdout = new TextStream({ isTTY: true });
  const stderr = new TextStream({ isTTY: true });
  const colors = pc.createColors(false);
  const status = createStatusLine(stderr, { colors, facts: ["agent"] });
  const output = createTextPromptOutput({ stdout, stderr }, { colors, isStructured: true, status });
  const start: AgentEvent = { type: "turn-start", sessionId, at };
  for (const event of [start, text("no"), END]) output.onEvent(event);
  const before = stderr.text.length;
  for (const event of [start, text("{}"), END]) output.onEvent(event);
  expect(stderr.text.slice(before)).toContain("agent");
  output.onReply({ ...REPLY, structured: {} });
  expect(stdout.text).toBe("{}\n");
});

test("JSON output has every event and the reply", () => {
  const stdout = new TextStream();
  const output = createJsonPromptOutput(stdout, sessionId);
  for (const event of [text("a\u009b"), END]) output.onEvent(event);
  output.onReply(REPLY);
  expect(stdout.text.split("\n")).toEqual([
    '{"type":"text-delta","sessionId":"s1","at":1,"text":"a\\u009b"}',
    '{"type":"turn-end","sessionId":"s1","at":1,"outcome":"completed"}',
    `{"type":"reply","sessionId":"s1","content":"Whole.","usage":${JSON.stringify(NO_USAGE)},"toolUses":0,"deniedPermissions":[]}`,
    "",
  ]);
});

test("a person who cannot approve because of a pipe reads the reason once", () => {
  const [stdout, stderr] = [new TextStream(), new TextStream({ isTTY: true })];
  const output = createTextPromptOutput(
    { stdout, stderr },
    { colors: pc.createColors(false), isStructured: false, isPiped: true },
  );
  const deny = (isUnasked: boolean, reason: string): void =>
    output.onEvent({
      type: "permission-denied",
      sessionId,
      at,
      denied: { toolName: "bash", kind: "shell", title: "bash: rm", reason, isUnasked },
    });
  deny(false, "The policy denies it.");
  deny(false, "Approval is required.");
  expect(stderr.text).not.toContain("pipe");
  deny(true, "Approval is required.");
  deny(true, "Approval is required.");
  expect(stderr.text.split("\n").filter((line) => line.includes("pipe"))).toEqual([
    "  Standard input is a pipe, so Atomic cannot ask for approval. Write the input to a file instead: --file PATH",
  ]);
  expect(stderr.text.split("\n")[0]).toBe("⊘ denied: bash: rm (The policy denies it.)");
});
