import { expect, test } from "bun:test";
import pc from "picocolors";
import { type AgentEvent, NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { EMPTY_PROGRESS, type ProgressModel, reduceProgress } from "../../view/index.ts";
import { AGENT_EVENTS, agentEventOf, EVENTS, eventOf } from "../fixtures/run-events.ts";
import { formatActiveLines, formatEventLines, type LineStyle } from "./progress-lines.ts";

const PLAIN: LineStyle = { colors: pc.createColors(false), columns: 60 };

function modelAfter(...events: readonly RunEvent[]): ProgressModel {
  return events.reduce(reduceProgress, EMPTY_PROGRESS);
}

const RUNNING = modelAfter(EVENTS["run-start"], EVENTS["node-start"]);

const EXPECTED: { readonly [Type in RunEvent["type"]]: readonly string[] } = {
  "run-start": ["▶ ralph  run run1"],
  "run-end": [],
  "graph-changed": ['! the workflow has changed since: the node "check" is new'],
  "node-start": [],
  "node-end": ["✔ Plan the tasks  1s  1.2k tokens"],
  "node-error": ["✖ Plan the tasks: It broke"],
  "node-sleep": ["… Plan the tasks: sleeps until 1970-01-01 01:00:10 UTC"],
  "node-dropped": ["⊘ Plan the tasks: no longer needed"],
  warning: ["! Telemetry fails"],
  checkpoint: [],
  request: [],
  answer: ["✔ plan: yes"],
  agent: [],
  "agent-prompt": [],
  "agent-session": [],
  usage: [],
  "command-start": [],
  "command-end": ["$ npm test  exit code 0, 2s"],
  "context-window": ["! context of work, 62 % full: summarized"],
  "debug-report": ["! debug report: Error: no luck"],
  log: ["· Half of it is done."],
  tasks: [],
};

const EXPECTED_OF_AGENT: { readonly [Type in AgentEvent["type"]]?: readonly string[] } = {
  "text-restart": ["· The answer broke off, and starts again."],
  "permission-denied": ["⊘ denied: rm -rf build (The policy denies it.)"],
  waiting: ["· The agent waits (rate-limit): Slow down"],
  stalled: ["· The agent has been silent for 2 s; its turn is aborted."],
  compacted: ["· The agent compacted its conversation."],
  error: ["· The agent reports an error: It broke"],
};

test.each(Object.values(AGENT_EVENTS).map((event) => ({ type: event.type, event })))(
  "the lines that stay after an agent's $type",
  ({ type, event }) => {
    expect(formatEventLines(eventOf("agent", { event }), RUNNING, PLAIN)).toEqual(EXPECTED_OF_AGENT[type] ?? []);
  },
);

test("a script's question is shown once, at the end, and a script in a script is named by its workflow", () => {
  const begin = (taskId: string): RunEvent => eventOf("node-start", { taskId, name: "script" });
  const asking = modelAfter(EVENTS["run-start"], begin("script"), begin("script[1]/ask"));
  expect(formatEventLines(eventOf("request", { taskId: "script[1]/ask" }), asking, PLAIN)).toEqual([]);
  const nested = modelAfter(EVENTS["run-start"], begin("script"), begin("script[1]/inner/script"));
  const failed = ["script[1]/inner/script", "script"].map((taskId) =>
    formatEventLines(eventOf("node-error", { taskId }), nested, PLAIN),
  );
  expect(failed).toEqual([["✖ inner/script: It broke"], ["✖ script: It broke"]]);
});

test("where several agents work, their lines name the node", () => {
  const two = reduceProgress(
    RUNNING,
    eventOf("node-start", { taskId: "b", name: "Look at what others did, and at how" }),
  );
  const about = (event: AgentEvent): readonly string[] =>
    formatEventLines(eventOf("agent", { event, taskId: "b" }), two, PLAIN);
  expect(Object.values(AGENT_EVENTS).flatMap(about)).toEqual([
    "· Look at what others did, and at…: The answer broke off, and starts again.",
    "⊘ Look at what others did, and at…: denied: rm -rf build (The policy denies it.)",
    "· Look at what others did, and at…: The agent compacted its conversation.",
    "· Look at what others did, and at…: The agent has been silent for 2 s; its turn is aborted.",
    "· Look at what others did, and at…: The agent waits (rate-limit): Slow down",
    "· Look at what others did, and at…: The agent reports an error: It broke",
  ]);
});

test("an unchanged wait is printed once, until the agent continues", () => {
  const waits = reduceProgress(RUNNING, agentEventOf("waiting"));
  expect(formatEventLines(agentEventOf("waiting"), waits, PLAIN)).toEqual([]);
  expect(formatEventLines(agentEventOf("waiting", { attempt: 2 }), waits, PLAIN)).toHaveLength(1);
  const goesOn = reduceProgress(waits, agentEventOf("text-delta"));
  expect(formatEventLines(agentEventOf("waiting"), goesOn, PLAIN)).toHaveLength(1);
});

const { session: _session, fraction: _fraction, ...reading } = EVENTS["context-window"];
const UNREAD = { ...reading, action: "recreate" as const };

test.each(Object.values(EVENTS).map((event) => ({ type: event.type, event })))(
  "the lines that stay after $type",
  ({ type, event }) => {
    expect(formatEventLines(event, RUNNING, PLAIN)).toEqual(EXPECTED[type]);
  },
);

test.each([
  {
    title: "a failed attempt says when the next one begins",
    event: eventOf("node-error", { retryAt: 13_000 }),
    expected: ["↻ Plan the tasks: It broke  again in 3s"],
  },
  {
    title: "a node that was not seen to begin is named by its visit",
    event: eventOf("node-end", { taskId: "build#3" }),
    expected: ["✔ build#3  1s  1.2k tokens"],
  },
  {
    title: "a skipped node looks different from a finished one",
    event: eventOf("node-end", { isSkipped: true }),
    expected: ["⊘ Plan the tasks: skipped"],
  },
  {
    title: "a node whose check did not pass looks like that",
    event: eventOf("node-end", { isPassed: false }),
    expected: ["✖ Plan the tasks: not passed  1s  1.2k tokens"],
  },
  {
    title: "a node whose check passed looks like a finished one",
    event: eventOf("node-end", { isPassed: true }),
    expected: ["✔ Plan the tasks  1s  1.2k tokens"],
  },
  {
    title: "a question that another node works beside says how to answer it",
    event: eventOf("request", { taskId: "parallel_1[b]/gate" }),
    expected: ["? Ship it?", `  From another terminal: atomic runs answer run1 "…" --request 'plan#1'`],
  },
  {
    title: "a question that answers itself says how to answer it before",
    event: eventOf("request", {
      request: {
        id: "a b",
        nodeId: "plan",
        question: "Ship it?",
        askedAt: 0,
        options: [{ label: "y" }],
        autoApproveAt: 9,
      },
    }),
    expected: ["? Ship it?", "  From another terminal: atomic runs answer run1 ANSWER --request 'a b'"],
  },
  {
    title: "an answer that is more than text is shown as JSON",
    event: eventOf("answer", { value: { count: 2 } }),
    expected: ['✔ plan: {"count":2}'],
  },
  {
    title: "a command that failed shows its exit code",
    event: eventOf("command-end", { exitCode: 3 }),
    expected: ["$ npm test  exit code 3, 2s"],
  },
  {
    title: "a context window that nobody looked into has no share",
    event: UNREAD,
    expected: ["! context: new session"],
  },
  {
    title: "a context window that is left as it is",
    event: eventOf("context-window", { action: "warn" }),
    expected: ["! context of work, 62 % full: left as it is"],
  },
  {
    title: "a reading of a context window leaves no line",
    event: eventOf("context-window", { action: "none" }),
    expected: [],
  },
  {
    title: "a long text is cut to the width",
    event: eventOf("warning", { message: "x".repeat(100) }),
    expected: [`! ${"x".repeat(55)}…`],
  },
  {
    title: "a log is shown whole, in the lines that it has",
    event: eventOf("log", { message: `${"x".repeat(100)}\n  y` }),
    expected: [`· ${"x".repeat(100)}`, "·   y"],
  },
  {
    title: "the name of a workflow cannot act on the terminal",
    event: eventOf("run-start", { workflow: "ra\u001b[2Jlph\n" }),
    expected: ["▶ ralph  run run1"],
  },
  {
    title: "control sequences in a message do not reach the terminal",
    event: eventOf("log", { message: "a\u001b]0;t\u0007\u001b[2Jb\u202e\nc" }),
    expected: ["· ab", "· c"],
  },
])("$title", ({ event, expected }) => {
  expect(formatEventLines(event, RUNNING, PLAIN)).toEqual(expected);
});

test("the line of a repeated node shows the visit and the attempt", () => {
  const before = modelAfter(eventOf("node-start", { taskId: "plan#2", attempt: 3 }));
  expect(formatEventLines(eventOf("node-end", { taskId: "plan#2" }), before, PLAIN)).toEqual([
    "✔ Plan the tasks #2 (attempt 3)  1s  1.2k tokens",
  ]);
});

test("colours mark how things went", () => {
  const style: LineStyle = { colors: pc.createColors(true), columns: 60 };
  expect(formatEventLines(EVENTS["node-end"], RUNNING, style)).toEqual([
    "\u001b[32m✔\u001b[39m Plan the tasks  \u001b[2m1s  1.2k tokens\u001b[22m",
  ]);
  expect(formatEventLines(eventOf("node-end", { isSkipped: true }), RUNNING, style)).toEqual([
    "\u001b[2m⊘\u001b[22m Plan the tasks: skipped",
  ]);
  expect(formatEventLines(EVENTS["node-error"], RUNNING, style)).toEqual([
    "\u001b[31m✖\u001b[39m Plan the tasks: It broke",
  ]);
});

test("each active node has a line, and the last line shows the progress of the run", () => {
  const model = modelAfter(
    EVENTS["run-start"],
    EVENTS["node-start"],
    eventOf("node-start", { taskId: "test#1", name: "Run the tests", at: 11_000 }),
    agentEventOf("tool-start"),
    EVENTS.usage,
    EVENTS.tasks,
  );
  expect(formatActiveLines(model, 12_000, PLAIN)).toEqual([
    "⠋ Plan the tasks  2s  120 tokens  bash: npm test",
    "⠋ Run the tests #1  1s",
    "  ralph · 2s · 120 tokens · tasks 1/2",
  ]);
});

const WORDS = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const SAID = WORDS.map((line) => agentEventOf("text-delta", { text: `${line}\n` }));

test.each([
  { title: "a usual terminal shows eight lines of one agent", rows: 24, others: 0, lines: 8 },
  { title: "a low terminal shows fewer", rows: 12, others: 0, lines: 5 },
  { title: "two agents share the room", rows: 24, others: 1, lines: 5 },
  { title: "two agents share the room of a low terminal", rows: 12, others: 1, lines: 2 },
  { title: "a high terminal has room for many", rows: 50, others: 5, lines: 3 },
])("$title", ({ rows, others, lines }) => {
  const starts = Array.from({ length: others }, (_, index) => eventOf("node-start", { taskId: `other${index}` }));
  const model = modelAfter(EVENTS["run-start"], EVENTS["node-start"], ...starts, ...SAID);
  const shown = formatActiveLines(model, 12_000, { ...PLAIN, rows });
  expect(shown.filter((line) => line.includes("│"))).toEqual(WORDS.slice(-lines).map((line) => `  │ ${line}`));
});

test("more nodes than have room are counted", () => {
  const starts = Array.from({ length: 30 }, (_, index) =>
    eventOf("node-start", { taskId: `n${index}`, name: `Node ${index}` }),
  );
  const lines = formatActiveLines(modelAfter(EVENTS["run-start"], ...starts), 10_400, { ...PLAIN, rows: 12 });
  expect(lines).toEqual([
    ...[0, 1, 2, 3, 4].map((index) => `⠋ Node ${index}  400ms`),
    "  … and 25 more",
    "  ralph · 400ms",
  ]);
});

test("calls and text are below a node with room, thinking is beside it", () => {
  const calling = modelAfter(EVENTS["run-start"], EVENTS["node-start"], agentEventOf("tool-start"));
  const style = { ...PLAIN, rows: 24 };
  expect(formatActiveLines(calling, 10_400, style)).toEqual([
    "⠋ Plan the tasks  400ms",
    "  │ ● bash: npm test",
    "  ralph · 400ms",
  ]);
  const thinking = [agentEventOf("tool-end"), agentEventOf("thinking-delta")].reduce(reduceProgress, calling);
  expect(formatActiveLines(thinking, 10_400, style)).toEqual([
    "⠋ Plan the tasks  400ms  thinking",
    "  │ ✓ bash: npm test",
    "  ralph · 400ms",
  ]);
});

test("the spinner turns with the clock", () => {
  const frames = [0, 80, 160, 800].map((elapsedMs) => formatActiveLines(RUNNING, elapsedMs, PLAIN)[0]?.[0]);
  expect(frames).toEqual(["⠋", "⠙", "⠹", "⠋"]);
});

test("no line is wider than the terminal, whatever the names are", () => {
  const name = "日本語のとても長い名前です".repeat(5);
  const model = modelAfter(
    EVENTS["run-start"],
    eventOf("node-start", { name }),
    agentEventOf("tool-start", { input: { command: "👩‍👩‍👧‍👦 x".repeat(50) } }),
    eventOf("node-start", { taskId: "b", name: "short" }),
    agentEventOf("tool-start", { input: { command: "y".repeat(200) } }, { taskId: "b" }),
    agentEventOf("text-delta", { text: `${"日本語 ".repeat(50)}${"z".repeat(300)}` }, { taskId: "b" }),
    EVENTS.tasks,
  );
  for (const columns of [40, 80, 200])
    for (const line of formatActiveLines(model, 12_000, { ...PLAIN, columns, rows: 40 }))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
});

test("names of nodes, tools and workflows cannot act on the terminal", () => {
  const model = modelAfter(
    eventOf("run-start", { workflow: "ra\u001b[2Jlph" }),
    eventOf("node-start", { name: "Pl\u0007an\u202e" }),
    agentEventOf("tool-start", { toolName: "ba\u001b]0;x\u0007sh", input: { command: "a\rb" } }),
    eventOf("usage", { usage: NO_USAGE }),
  );
  expect(formatActiveLines(model, 10_400, PLAIN)).toEqual(["⠋ Plan  400ms  bash: a b", "  ralph · 400ms"]);
});

test("a run that resumes after a question in the same terminal is not announced again", () => {
  const begun = { ...EMPTY_PROGRESS, workflow: "ralph" };
  const resumed = eventOf("run-start", { isResume: true });
  expect(formatEventLines(resumed, begun, PLAIN)).toEqual([]);
  expect(formatEventLines(resumed, EMPTY_PROGRESS, PLAIN)).toEqual(["▶ ralph  run run1"]);
});

test("items that rest together have one line, others one of their own", () => {
  let model = EMPTY_PROGRESS;
  const lines: string[] = [];
  for (const [taskId, until] of [
    ["rest[1]", 60_000],
    ["rest[2]", 60_900],
    ["rest[3]", 90_000],
  ] as const) {
    const event = eventOf("node-sleep", { nodeId: "rest", taskId, until });
    lines.push(...formatEventLines(event, model, PLAIN));
    model = reduceProgress(model, event);
  }
  expect(lines).toEqual([
    "… rest[1]: sleeps until 1970-01-01 00:01:00 UTC",
    "… rest[3]: sleeps until 1970-01-01 00:01:30 UTC",
  ]);
});

test("a node that sleeps shows how long still", () => {
  const model = reduceProgress(EMPTY_PROGRESS, eventOf("node-sleep", { at: 10_000, until: 100_000 }));
  const [line] = formatActiveLines(model, 12_000, { ...PLAIN, rows: 24 });
  expect(line).toEndWith(" plan  2s  asleep, 1m 28s left");
});

test("a cancelled run says what was in progress", () => {
  expect(formatEventLines(eventOf("run-end", { status: "cancelled" }), RUNNING, PLAIN)).toEqual([
    "⊘ Plan the tasks: cancelled",
  ]);
});

test("before the run begins, there is no progress to show", () => {
  expect(formatActiveLines(EMPTY_PROGRESS, 1_000_000, { ...PLAIN, rows: 24 })).toEqual([]);
});

test("the line of a failed node is followed by its causes and its place", () => {
  const error = { code: "NODE_FAILED", message: "outer\nmore\nCaused by: inner\u0007", frame: "/a.ts:1:2" };
  expect(formatEventLines(eventOf("node-error", { error }), RUNNING, PLAIN)).toEqual([
    "✖ Plan the tasks: outer",
    "  Caused by: inner",
    "  at /a.ts:1:2",
  ]);
  const output = { code: "COMMAND_FAILED", message: "It ended.\nCaused by: its own output" };
  expect(formatEventLines(eventOf("node-error", { error: output }), RUNNING, PLAIN)).toEqual([
    "✖ Plan the tasks: It ended.",
  ]);
});
