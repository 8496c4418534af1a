import { describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientBench } from "./client-bench.ts";
import { callTools, requestsWith, say, script, toolResultsOf } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { ALLOW_ALL, fileIn } from "./client-world.ts";

const HUGE_BYTES = 1_000_000;

/** The agent's own tools. */
export function describeTools(bench: ClientBench): void {
  describe("tools", () => {
    describeOwnTools(bench);
    describeCommands(bench);
  });
}

function describeOwnTools(bench: ClientBench): void {
  test("a file is really written, with one start and one end", async () => {
    const file = fileIn(bench, "written-by-tool.txt");
    const call = bench.calls.write(file.path, "hello from the model");
    script(bench, callTools(call), say("Done."));
    const { events, reply } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Write it.");
    expect((await readFile(file.path, "utf8")).trimEnd()).toBe("hello from the model");
    const starts = eventsOf(events, "tool-start");
    expect(starts.map(({ kind }) => kind)).toEqual(["edit"]);
    expect<unknown>(eventsOf(events, "tool-end").map(({ toolId, isError }) => [toolId, isError])).toEqual([
      [starts[0]?.toolId, false],
    ]);
    expect([reply.content, reply.toolUses]).toEqual(["Done.", 1]);
  });

  test("a command really runs; its output is in the event and reaches the model", async () => {
    script(bench, callTools(bench.calls.bash("echo output-$((4000 + 213))")), say("Done."));
    const { events } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Run it.");
    expect(eventsOf(events, "tool-start").map(({ kind }) => kind)).toEqual(["shell"]);
    expect(eventsOf(events, "tool-end").map(({ output }) => output.includes("output-4213"))).toEqual([true]);
    expect(requestsWith(bench, "output-4213").length).toBeGreaterThan(0);
  });

  test("the arguments are in the event as the model wrote them", async () => {
    const call = bench.calls.bash("echo given-arguments");
    script(bench, callTools(call), say("Done."));
    const { events } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Run it.");
    expect(eventsOf(events, "tool-start").map(({ input }) => input)).toEqual([call.input]);
  });

  test("a file is read, and its content reaches the model", async () => {
    const file = fileIn(bench, "read-by-tool.txt");
    await writeFile(file.path, "content-4214\n");
    script(bench, callTools(bench.calls.read(file.path)), say("Done."));
    const { events } = await (await openTalk(bench)).complete("Read it.");
    expect(eventsOf(events, "tool-start").map(({ kind }) => kind)).toEqual(["read"]);
    expect(eventsOf(events, "tool-end").map(({ isError }) => isError)).toEqual([false]);
    expect(requestsWith(bench, "content-4214").map((request) => toolResultsOf(request).length)).toEqual([1]);
  });

  test("text before and after a tool is one reply", async () => {
    const call = bench.calls.bash("true");
    script(bench, { type: "message", text: "Before.", toolCalls: [call] }, say("After."));
    const { reply } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Run it.");
    expect(reply.content.split(/\s+/)).toEqual(["Before.", "After."]);
  });
}

function describeCommands(bench: ClientBench): void {
  test("two calls of one message both run", async () => {
    const calls = ["echo both-one", "echo both-two"].map((command) => bench.calls.bash(command));
    script(bench, callTools(...calls), say("Both."));
    const { events, reply } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Run both.");
    const outputs = eventsOf(events, "tool-end").map(({ output }) => /both-\w+/.exec(output)?.[0]);
    expect([reply.content, reply.toolUses, outputs.toSorted()]).toEqual(["Both.", 2, ["both-one", "both-two"]]);
  });

  test("a failed command is an error that reaches the model; the turn continues", async () => {
    script(bench, callTools(bench.calls.bash("echo failing-4215; exit 3")), say("Too bad."));
    const { reply } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Fail.");
    expect([
      reply.content,
      requestsWith(bench, "failing-4215").some((request) => toolResultsOf(request).length > 0),
    ]).toEqual(["Too bad.", true]);
  });

  test("a session works in its own directory", async () => {
    const folder = join(bench.workFolder, "inner-folder");
    await mkdir(folder);
    script(bench, callTools(bench.calls.bash("pwd")), say("There."));
    const talk = await openTalk(bench, { workingDirectory: folder, permissions: ALLOW_ALL });
    const { events } = await talk.complete("Where are you?");
    expect(eventsOf(events, "tool-end").map(({ output }) => output.includes(folder))).toEqual([true]);
  });

  test("a huge output breaks nothing", async () => {
    script(bench, callTools(bench.calls.bash(`head -c ${HUGE_BYTES} /dev/zero | tr '\\0' x`)), say("Long."));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    const { events, reply } = await talk.complete("Print it.");
    expect([reply.content, eventsOf(events, "tool-end").map(({ output }) => output.includes("xxxx"))]).toEqual([
      "Long.",
      [true],
    ]);
    await talk.expectUsable();
  });
}
