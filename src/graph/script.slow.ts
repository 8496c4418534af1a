import { describe, expect, test } from "bun:test";
import { AgentTurnError, NotSignedInError } from "../contracts/index.ts";
import { graph } from "./builder.ts";
import type { CompiledGraph } from "./compiled-graph.ts";
import { ScriptBench } from "./fixtures/script-bench.ts";
import { TestState } from "./fixtures/test-nodes.ts";
import { scriptNode } from "./nodes/script/script-node.ts";
import { compileScript, script } from "./script.ts";
import { RunControl } from "./steering/run-control.ts";

const text = (body: string): CompiledGraph => compileScript({ path: "/p/demo.js", text: body });

describe("a script", () => {
  test("gets the answers of its agents, and each of them is a task of the run", async () => {
    const bench = new ScriptBench();
    const compiled = script(async ({ agent, parallel, pipeline }) => ({
      both: await parallel([() => agent("a", { label: "First" }), () => agent("b")]),
      staged: await pipeline(
        ["x", "y"],
        (item) => agent(`1 ${item}`),
        (before, item, index) => `${before}/${item}/${index}`,
      ),
      checked: await agent<{ readonly isGood: boolean }>("c", { schema: { type: "object" } }),
    }));
    const { status, output, usage } = await bench.run(compiled);
    expect({ status, output, tokens: usage.inputTokens + usage.outputTokens }).toEqual({
      status: "completed",
      output: {
        both: ["did a", "did b"],
        staged: ["did 1 x/x/0", "did 1 y/y/1"],
        checked: { isGood: true },
      },
      tokens: 10,
    });
    const ids = (await compiled.history("r", { checkpointer: bench.saver })).flatMap(({ taskId }) => taskId || []);
    expect(ids.toSorted()).toEqual([
      "script",
      "script[1]/first",
      "script[2]/agent",
      "script[3]/agent",
      "script[4]/agent",
      "script[5]/agent",
    ]);
  });

  test.each([
    { title: "nothing", input: {}, args: undefined },
    { title: "a prompt alone", input: { prompt: "do it" }, args: "do it" },
    { title: "an input args alone", input: { args: [1, { a: 2 }] }, args: [1, { a: 2 }] },
    { title: "inputs", input: { prompt: "do it", n: 3 }, args: { prompt: "do it", n: 3 } },
  ])("has $title as its args", async ({ input, args }) => {
    const { output } = await new ScriptBench().run(text("return { args }"), input);
    expect(output).toEqual(args === undefined ? {} : { args });
  });

  test("continues after an answer where it was, and repeats no agent that has ended", async () => {
    const bench = new ScriptBench();
    const compiled = text(`
      const first = await agent("first");
      const both = await parallel([
        () => ask("Go on?", ["yes", "no"]),
        async () => agent("second after " + (await agent("beside"))),
      ]);
      return { first, both, last: await agent("last") };`);
    const suspended = await bench.run(compiled);
    expect(suspended.status).toBe("suspended");
    expect(bench.asked).toEqual(["first", "beside", "second after did beside"]);
    const [question] = suspended.requests;
    const { status, output } = await bench.resume(compiled, { [question?.id ?? ""]: "yes" });
    expect({ status, output, asked: bench.asked }).toEqual({
      status: "completed",
      output: { first: "did first", both: ["yes", "did second after did beside"], last: "did last" },
      asked: ["last"],
    });
  });

  test("is restored from a snapshot", async () => {
    const bench = new ScriptBench();
    const compiled = text(`
      const first = await agent("first");
      return [first, budget.spent(), await ask("Go on?"), await agent("last")];`);
    const { requests } = await bench.run(compiled);
    await compiled.compact("r", { checkpointer: bench.saver });
    const { output } = await bench.resume(compiled, { [requests[0]?.id ?? ""]: "so" });
    expect({ output, asked: bench.asked }).toEqual({ output: ["did first", 2, "so", "did last"], asked: ["last"] });
  });

  test("that has changed keeps what precedes the change, and says so", async () => {
    const bench = new ScriptBench();
    const { requests } = await bench.run(
      text('await agent("a"); await agent("b"); await agent("c"); return await ask("?");'),
    );
    expect(bench.asked).toEqual(["a", "b", "c"]);
    const changed = text('const x = [await agent("a"), await agent("B"), await agent("c")]; return x;');
    const { output } = await bench.resume(changed, { [requests[0]?.id ?? ""]: "yes" });
    expect({ output, asked: bench.asked, logs: bench.logs }).toEqual({
      output: ["did a", "did B", "did c"],
      asked: ["B", "c"],
      logs: [
        'The script has changed since it last ran. What it did before "B" is kept; that call and what follows it run now.',
      ],
    });
  });

  test("that has changed skips the agent at work that it no longer calls", async () => {
    const bench = new ScriptBench();
    const stop = new AbortController();
    bench.stuckPrompt = "slow";
    bench.whenStuck = () => stop.abort();
    const first = text('await agent("a"); return await agent("slow");');
    expect((await bench.run(first, {}, { signal: stop.signal })).status).toBe("cancelled");
    bench.whenStuck = () => undefined;
    const changed = text('await agent("a"); return await agent("other");');
    const { status, output } = await bench.resume(changed);
    expect({ status, output, other: bench.asked.filter((prompt) => prompt !== "slow") }).toEqual({
      status: "completed",
      output: "did other",
      other: ["other"],
    });
  });

  test("gets null for an agent that somebody skips", async () => {
    const bench = new ScriptBench();
    const control = new RunControl();
    bench.stuckPrompt = "slow";
    const stuck = new Promise<void>((resolve) => {
      bench.whenStuck = resolve;
    });
    const running = bench.run(
      text('return [await agent("slow", { label: "Slow" }), await agent("b")];'),
      {},
      { control },
    );
    await stuck;
    await control.skipNode("slow");
    const { status, output } = await running;
    expect({ status, output }).toEqual({ status: "completed", output: [null, "did b"] });
  });

  test("that is restarted while its agents work gets their answers, and repeats none that has ended", async () => {
    const bench = new ScriptBench();
    const control = new RunControl();
    bench.stuckPrompt = "slow";
    const stuck = new Promise<void>((resolve) => {
      bench.whenStuck = resolve;
    });
    const compiled = text(`
      const first = await agent("first");
      return [first, ...await Promise.all(["slow", "quick"].map((prompt) => agent(prompt, { label: prompt }))), await agent("last")];`);
    const running = bench.run(compiled, {}, { control });
    await stuck;
    await control.retryNode("script");
    await control.skipNode("slow");
    const { status, output } = await running;
    expect({ status, output, asked: bench.asked }).toEqual({
      status: "completed",
      output: ["did first", null, "did quick", "did last"],
      asked: ["first", "slow", "quick", "last"],
    });
  });

  test("gets null for an agent that failed, for a branch that threw, and for a stage that threw", async () => {
    const bench = new ScriptBench();
    bench.answer = ({ prompt }) => {
      if (prompt === "bad") throw new AgentTurnError("scripted", "no", { isRetryable: false });
      return prompt;
    };
    const { output } = await bench.run(
      text(`
        const rest = await parallel([() => agent("good"), () => { throw new TypeError("mine"); }]);
        const staged = await pipeline([1, 2], (n) => { if (n === 1) throw new Error("one"); return n; }, (n) => n * 10);
        return [await agent("bad"), ...rest, ...staged];`),
    );
    expect(output).toEqual([null, "good", null, null, 20]);
    expect(bench.logs).toEqual([
      "A branch of parallel() failed, so its result is null: TypeError: mine",
      "A branch of pipeline() failed, so its result is null: one",
      '"bad" failed, so the script gets null: The turn of the agent "scripted" failed: no',
    ]);
  });

  test("fails with an error that every agent would have, and a resume continues", async () => {
    const bench = new ScriptBench();
    const compiled = text('return [await agent("a"), await agent("b")];');
    bench.answer = ({ prompt }) => {
      if (prompt === "b") throw new NotSignedInError("scripted", "sign in");
      return prompt;
    };
    const failed = await bench.run(compiled);
    expect([failed.status, failed.errorInfo?.code]).toEqual(["failed", "NOT_SIGNED_IN"]);
    bench.answer = ({ prompt }) => prompt.slice(-1);
    const { output } = await bench.resume(compiled);
    expect({ output, count: bench.asked.length }).toEqual({ output: ["a", "b"], count: 1 });
  });

  test("waits at its end for an agent that it has not awaited", async () => {
    const bench = new ScriptBench();
    const { status, output } = await bench.run(text('agent("left"); return 1;'));
    expect({ status, output, asked: bench.asked }).toEqual({ status: "completed", output: 1, asked: ["left"] });
  });

  test.each([
    { title: "its own", own: { maxConcurrency: 1 }, scriptLimits: {}, asked: ["1", "end 1", "2", "end 2"] },
    { title: "the run's", own: {}, scriptLimits: { maxConcurrency: 1 }, asked: ["1", "end 1", "2", "end 2"] },
    { title: "neither", own: { maxConcurrency: 9 }, scriptLimits: {}, asked: ["1", "2", "end 1", "end 2"] },
  ])("has as many agents at work as the lower limit allows: $title", async ({ own, scriptLimits, asked }) => {
    const bench = new ScriptBench();
    const compiled = script(async ({ agent, parallel }) => {
      const ask = async (name: string) => {
        await agent(name);
        bench.asked.push(`end ${name}`);
      };
      await parallel([() => ask("1"), () => ask("2")]);
    }, own);
    await bench.run(compiled, {}, { services: { scriptLimits } });
    expect<readonly string[]>(bench.asked).toEqual(asked);
  });

  test("calls no more agents than the run's limit allows, which may be higher than the default one", async () => {
    const calls = (count: number) => text(`for (let n = 0; n < ${count}; n++) await agent(String(n));`);
    const few = await new ScriptBench().run(calls(3), {}, { services: { scriptLimits: { maxAgents: 2 } } });
    expect(few.error?.message).toStartWith("The script called more than 2 agents, which is its limit.");
    const many = await new ScriptBench().run(calls(3), {}, { services: { scriptLimits: { maxAgents: 2_000 } } });
    expect(many.status).toBe("completed");
  });

  test.each([
    ['return agent("a", { lable: "x" });', 'agent() has no option "lable". Did you mean "label"? (/p/demo.js:1:13)'],
    ["return agent(12);", "The prompt of agent() is 12. Pass a text that is not empty (/p/demo.js:1:13)"],
    [
      'await ask("Which?", []);',
      "The list of answers of ask() is empty. Pass at least one, or leave it out for any text (/p/demo.js:1:13)",
    ],
    [
      'await ask("Go?", "yes");',
      'The answers of ask() are "yes". Pass a list: ask("…", ["yes", "no"]) (/p/demo.js:1:13)',
    ],
    [
      '\nawait parallel([agent("a")]);',
      'Element 0 of parallel() is a promise, which has started already. Pass functions: () => agent("…") (/p/demo.js:2:15)',
    ],
    ["\n\nreturn args.a.b;", "TypeError: undefined is not an object (evaluating 'args.a') (/p/demo.js:3:13)"],
    [
      "\nreturn Date.now();",
      "Date.now() is not available in a script: a resumed run has to come to the same steps. Pass the time in with the run's input (/p/demo.js:2:16)",
    ],
    ["return 1n;", "What the script returned cannot be kept as JSON: JSON.stringify cannot serialize BigInt."],
    ['throw "it";', "It threw it"],
    ["\nphase();", "The name of phase() is undefined. Pass a text that is not empty (/p/demo.js:2:6)"],
    ["\nphase(3);", "The name of phase() is 3. Pass a text that is not empty (/p/demo.js:2:6)"],
    [
      "\nawait parallel([() => phase({ title: 1 })]);",
      'The name of phase() is {"title":1}. Pass a text that is not empty (/p/demo.js:2:27)',
    ],
    [
      '\nawait parallel(agent("a"));',
      'parallel() was given a Promise. Pass a list: parallel([() => agent("…")]) (/p/demo.js:2:15)',
    ],
    [
      'for (;;) await parallel([() => shell("true"), () => agent("same")]);',
      "The script called more than 3 agents, which is its limit. Look for a loop without an end, or raise the limit (/p/demo.js:1:18)",
    ],
  ])("names the mistake in %j and its place", async (body, message) => {
    const compiled = compileScript({ path: "/p/demo.js", text: body }, { maxAgents: 3 });
    const shell = async (command: string) => ({
      command,
      ...{ exitCode: 0, stdout: "", stderr: "", isTruncated: false, durationMs: 0 },
    });
    const { error } = await new ScriptBench().run(compiled, {}, { services: { shell } });
    // The first line's columns are those of the text as it runs.
    expect(error?.message.replace(/:1:\d+\)/, ":1:13)").replace(/:(\d):\d+\)$/, ":$1:0)")).toBe(
      message.replace(/:(\d):\d+\)$/, ":$1:0)"),
    );
  });

  test("is a node of a graph, with an update of its own", async () => {
    const bench = new ScriptBench();
    const node = scriptNode<TestState, string, string | null>({
      id: "write",
      args: ({ value }) => value,
      run: async ({ agent, args }) => await agent(`write ${args}`),
      outputMapper: (result) => ({ value: result ?? "nothing" }),
    });
    const compiled = graph(TestState).start(node).end().compile();
    // The cast is true for what the bench reads of it.
    const { state } = await bench.run(compiled as unknown as CompiledGraph, { value: "this" });
    expect(state).toMatchObject({ value: "did write this" });
  });
});
