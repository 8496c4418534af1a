import { afterEach, expect, test } from "bun:test";
import pc from "picocolors";
import { agentEventOf, EVENTS, eventOf } from "../fixtures/run-events.ts";
import { renderScreen } from "../fixtures/screen.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { createJsonReporter, createLiveReporter, createPlainReporter, type RunReporter } from "./run-reporter.ts";

const COLORS = pc.createColors(false);
const opened: RunReporter[] = [];

afterEach(() => {
  for (const reporter of opened.splice(0)) reporter.close();
});

function openLive(): { readonly output: TextStream; readonly reporter: RunReporter } {
  const output = new TextStream({ isTTY: true, columns: 60 });
  const reporter = createLiveReporter(output, COLORS);
  opened.push(reporter);
  return { output, reporter };
}

/** The screen, with what depends on the moment replaced. */
function screenOf(output: TextStream): readonly string[] {
  return renderScreen(output.text).map((line) => line.replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u, "~").replace(/\d+(?:ms|s)\b/g, "<t>"));
}

test("the JSON reporter prints each event, a line each, with the exact ids of questions", () => {
  const output = new TextStream();
  const reporter = createJsonReporter(output);
  const events = Object.values(EVENTS);
  for (const event of events) reporter.onEvent(event);
  reporter.pause()();
  reporter.close();
  expect(
    output.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(
    events.map((event) => {
      if (event.type === "answer") return { ...event, requestId: "plan#1" };
      return event.type === "request" ? { ...event, request: { ...event.request, id: "plan#1" } } : event;
    }),
  );
});

test("the end of the run is the last line of the JSON reporter, after warnings about the call", () => {
  const output = new TextStream();
  const reporter = createJsonReporter(output);
  for (const event of [EVENTS["run-end"], EVENTS["run-start"], EVENTS["run-end"]]) reporter.onEvent(event);
  reporter.warn("No question took these answers.");
  reporter.close();
  reporter.close();
  const types = output.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(["run-end", "run-start", "warning", "run-end"]);
});

test("the plain reporter prints what begins, what an agent says and does and what ends, and never moves the cursor", () => {
  const output = new TextStream();
  const reporter = createPlainReporter(output, COLORS);
  for (const event of [
    EVENTS["run-start"],
    EVENTS["node-start"],
    agentEventOf("text-delta"),
    agentEventOf("tool-start"),
    EVENTS["node-end"],
    eventOf("node-start", { taskId: "verify", nodeType: "tool", name: "Verify the work" }),
    EVENTS["command-end"],
    eventOf("node-end", { taskId: "verify" }),
    EVENTS["run-end"],
  ])
    reporter.onEvent(event);
  reporter.close();
  expect(output.text).toBe(
    [
      "▶ ralph  run run1",
      "▸ Plan the tasks",
      "  │ Hello",
      "  ● bash: npm test",
      "✔ Plan the tasks  1s  1.2k tokens",
      "$ npm test  exit code 0, 2s",
      "✔ Verify the work  1s  1.2k tokens",
      "",
    ].join("\n"),
  );
});

test("a note is no line of JSON: the JSON reporter leaves it out", () => {
  const output = new TextStream();
  const reporter = createJsonReporter(output);
  reporter.note("Stopping what runs.");
  reporter.onEvent(EVENTS.log);
  reporter.close();
  expect(
    output.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([EVENTS.log]);
});

test("the plain reporter prints a note as a line among the others", () => {
  const output = new TextStream();
  const reporter = createPlainReporter(output, COLORS);
  reporter.onEvent(EVENTS["run-start"]);
  reporter.note("Stopping what runs.");
  reporter.onEvent(EVENTS.log);
  reporter.close();
  expect(output.text).toBe("▶ ralph  run run1\nStopping what runs.\n· Half of it is done.\n");
});

test("the name of an agent's node cannot act on the terminal", () => {
  const output = new TextStream();
  createPlainReporter(output, COLORS).onEvent(eventOf("node-start", { name: "a\u001b[2J\u0007\nb\u202e" }));
  expect(output.text).toBe("▸ a b\n");
});

test("lines of what is done stay above the lines that are drawn again and again", async () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["run-start"]);
  reporter.onEvent(EVENTS["node-start"]);
  reporter.onEvent(EVENTS["node-end"]);
  reporter.onEvent(eventOf("node-start", { taskId: "b", name: "Second" }));
  reporter.onEvent(eventOf("log", { taskId: "b", message: "halfway" }));
  await output.waitFor("Second");
  expect(screenOf(output)).toEqual([
    "▶ ralph  run run1",
    "✔ Plan the tasks  <t>  1.2k tokens",
    "· halfway",
    expect.stringMatching(/^~ Second {2}/),
    expect.stringMatching(/^ {2}ralph · /),
  ]);
  reporter.onEvent(eventOf("node-end", { taskId: "b" }));
  reporter.close();
  expect(screenOf(output)).toEqual([
    "▶ ralph  run run1",
    "✔ Plan the tasks  <t>  1.2k tokens",
    "· halfway",
    "✔ Second  <t>  1.2k tokens",
  ]);
});

test("what agents say and do moves below their nodes and is gone when they are done", async () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  reporter.onEvent(eventOf("node-start", { taskId: "b", name: "Second" }));
  reporter.onEvent(agentEventOf("text-delta", { text: "I read the tests.\n\nThen I" }));
  reporter.onEvent(agentEventOf("tool-start", { toolId: "t2", input: { command: "npm test" } }, { taskId: "b" }));
  reporter.onEvent(agentEventOf("tool-end", { toolId: "t2", isError: true }, { taskId: "b" }));
  await output.waitFor("✗");
  expect(screenOf(output)).toEqual([
    expect.stringMatching(/^~ Plan the tasks/),
    "  │ I read the tests.",
    "  │ Then I",
    expect.stringMatching(/^~ Second/),
    "  │ ✗ bash: npm test",
  ]);
  reporter.onEvent(EVENTS["node-end"]);
  reporter.onEvent(eventOf("node-end", { taskId: "b" }));
  reporter.close();
  expect(screenOf(output)).toEqual(["✔ Plan the tasks  <t>  1.2k tokens", "✔ Second  <t>  1.2k tokens"]);
});

test("the plain reporter names the node of each line while several run, and prints whole lines only", () => {
  const output = new TextStream();
  const reporter = createPlainReporter(output, COLORS);
  for (const event of [
    eventOf("node-start", { taskId: "a", name: "First" }),
    eventOf("node-start", { taskId: "b", name: "Second" }),
    agentEventOf("text-delta", { text: "one " }, { taskId: "a" }),
    agentEventOf("text-delta", { text: "uno\ndos" }, { taskId: "b" }),
    agentEventOf("text-delta", { text: "two\n\n" }, { taskId: "a" }),
    agentEventOf("tool-start", {}, { taskId: "b" }),
    agentEventOf("tool-end", { isError: true }, { taskId: "b" }),
    eventOf("node-end", { taskId: "b" }),
    agentEventOf("text-delta", { text: "th\u001b[2Jree" }, { taskId: "a" }),
  ])
    reporter.onEvent(event);
  expect(output.text).not.toContain("three");
  reporter.close();
  expect(output.text.split("\n")).toEqual([
    "▸ First",
    "▸ Second",
    "  Second │ uno",
    "  First │ one two",
    "  Second │ dos",
    "  Second ● bash: npm test",
    "  Second ✗ bash: npm test",
    "✔ Second  1s  1.2k tokens",
    "  First │ three",
    "",
  ]);
});

test("the lines move by themselves while nothing happens", async () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  await output.waitFor("Plan the tasks");
  await output.waitFor("\u001b", output.text.length);
  expect(screenOf(output)[0]).toStartWith("~ Plan the tasks");
});

test("while it is paused the screen belongs to someone else; what happened meanwhile is shown afterwards", async () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  await output.waitFor("Plan the tasks");
  const resume = reporter.pause();
  expect(screenOf(output)).toEqual([]);
  const quiet = output.text.length;
  reporter.onEvent(eventOf("log", { message: "from another branch" }));
  output.write("Allow shell: npm test?\n");
  expect(output.text.slice(quiet)).toBe("Allow shell: npm test?\n");
  resume();
  expect(screenOf(output)).toEqual([
    "Allow shell: npm test?",
    "· from another branch",
    expect.stringMatching(/^~ Plan the tasks/),
  ]);
});

test("closing takes the moving lines away, keeps what is done, and may be repeated", () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  reporter.onEvent(EVENTS.log);
  reporter.close();
  reporter.close();
  expect(screenOf(output)).toEqual(["· Half of it is done."]);
});

test("closing during a pause shows what was held back, and the end of the pause draws nothing any more", () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  const resume = reporter.pause();
  reporter.onEvent(EVENTS.log);
  reporter.close();
  resume();
  expect(screenOf(output)).toEqual(["· Half of it is done."]);
});

test("a note stays above the moving lines", () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  reporter.note("Stopping what runs.");
  expect(screenOf(output)).toEqual(["Stopping what runs.", expect.stringMatching(/^~ Plan the tasks/)]);
  reporter.close();
  expect(screenOf(output)).toEqual(["Stopping what runs."]);
});

test("a note during a pause is held back until its end", () => {
  const { output, reporter } = openLive();
  const resume = reporter.pause();
  const quiet = output.text.length;
  reporter.note("Stopping what runs.");
  expect(output.text.slice(quiet)).toBe("");
  resume();
  reporter.close();
  expect(screenOf(output)).toEqual(["Stopping what runs."]);
});

test("a note after the end is still printed, without live lines", () => {
  const { output, reporter } = openLive();
  reporter.close();
  reporter.note("Stopping what runs.");
  expect(output.text).toBe("Stopping what runs.\n");
});

test("an event after the end is still printed, without live lines", () => {
  const { output, reporter } = openLive();
  reporter.close();
  reporter.onEvent(EVENTS.log);
  expect(output.text).toBe("· Half of it is done.\n");
});

test("what an agent said last stays when the run is cancelled", () => {
  const { output, reporter } = openLive();
  reporter.onEvent(EVENTS["node-start"]);
  reporter.onEvent(agentEventOf("text-delta", { text: "I read the tests.\nThen I" }));
  reporter.onEvent(eventOf("run-end", { status: "cancelled" }));
  reporter.close();
  expect(screenOf(output)).toEqual(["  │ I read the tests.", "  │ Then I", "⊘ Plan the tasks: cancelled"]);
});
