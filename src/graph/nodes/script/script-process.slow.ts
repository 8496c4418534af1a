import { afterEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { pid } from "node:process";
import { createScriptedAgent } from "../../../testkit/index.ts";
import type { CompiledGraph } from "../../compiled-graph.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { compileScript } from "../../script.ts";
import type { ScriptHost } from "./script-host.ts";
import { parseTurn } from "./script-messages.ts";
import { ScriptProcess } from "./script-process.ts";

const client = createScriptedAgent({ script: ({ prompt }) => ({ text: `did ${prompt}` }) });
const services = { clients: () => client };

const text = (body: string): CompiledGraph => compileScript({ path: "/p/demo.js", text: body });

/** The processes that this one has started and that have not been ended, without what lists them. */
function children(): readonly string[] {
  const listed = execFileSync("ps", ["--ppid", String(pid), "-o", "args="], { encoding: "utf8" });
  return listed.split("\n").filter((line) => line !== "" && !line.startsWith("ps ") && !line.endsWith("<defunct>"));
}

afterEach(() => {
  expect(children()).toEqual([]);
});

describe("the process of a script", () => {
  test("ends when the run is cancelled, although the script never returns", async () => {
    const controller = new AbortController();
    const running = text('phase("begun"); for (;;) {}').run({}, { services, signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 300);
    expect((await running).status).toBe("cancelled");
  });

  test("ends when the run is suspended, and another continues it", async () => {
    const checkpointer = new MemorySaver();
    const asking = text('const before = await agent("a"); return before + " " + (await ask("Which?"));');
    const suspended = await asking.run({}, { services, checkpointer, runId: "r" });
    expect(suspended.status).toBe("suspended");
    expect(children()).toEqual([]);
    const [question] = suspended.requests;
    const answers = { [question?.id ?? ""]: "that one" };
    const resumed = await asking.resume("r", answers, { services, checkpointer });
    expect(resumed.output).toBe("did a that one");
  });

  test("is ended when it fills the memory, which fails the run with a reason", async () => {
    const { status, error } = await text(
      "const kept = []; for (;;) kept.push(new Uint8Array(50_000_000).fill(1));",
    ).run({}, { services });
    expect({ status, message: error?.message }).toEqual({
      status: "failed",
      message: "The process of the script ended (SIGKILL). It may use 1 GB of memory.",
    });
  });

  test("fails the run for what a script has not awaited, also after its end", async () => {
    const early = await text('Promise.reject(new Error("lost"));\nawait agent("a");').run({}, { services });
    expect(early.error?.message).toBe("lost (/p/demo.js:1:39)");
    const late = await text('agent("a").then(() => {\n  throw new Error("late");\n});\nreturn 1;').run(
      {},
      { services },
    );
    expect(late.error?.message).toBe("late (/p/demo.js:2:18)");
  });

  test("does what follows a call that the script has not awaited", async () => {
    const prompts: string[] = [];
    const noting = createScriptedAgent({
      script({ prompt }) {
        prompts.push(prompt);
        return { text: prompt };
      },
    });
    const body = 'agent("a").then((text) => agent(text + "b")).then((text) => parallel([() => agent(text + "c")]));';
    const { status } = await text(body).run({}, { services: { clients: () => noting } });
    expect({ status, prompts }).toEqual({ status: "completed", prompts: ["a", "ab", "abc"] });
  });

  test("keeps values that are no JSON between the stages of a pipeline and in the results of branches", async () => {
    const body = `
      const results = await pipeline([new Map([["x", 1]]), 2n], (map, item, index) => ({ map, index }), ({ map, index }) => () => [map, index]);
      const [set] = await parallel([() => new Set([1, 2])]);
      return [results[0]()[0].get("x"), String(results[1]()[0]), results[1]()[1], set.size];`;
    expect((await text(body).run({}, { services })).output).toEqual([1, "2", 1, 2]);
  });
});

const host: ScriptHost = {
  signal: new AbortController().signal,
  holdCalls: () => () => undefined,
  settle: async () => undefined,
};

test("a process that says what its script cannot have done is ended", async () => {
  const { promise, resolve } = Promise.withResolvers<Error>();
  const process = await ScriptProcess.start({
    host,
    onSaid: () => {
      throw new RangeError("There is no branch 7.");
    },
    onFailure: resolve,
  });
  const start = {
    type: "start",
    path: "/p/demo.js",
    prelude: "(bridge) => ({ execute(body) { bridge.log('x'); } })",
  } as const;
  process.send({ ...start, body: "() => 1", args: undefined, total: null, spent: 0 });
  expect((await promise).message).toBe("The process of the script was ended for what it sent: There is no branch 7.");
  await process.stop();
});

test.each([
  ["[]", "It is no turn."],
  ['{"count":-1,"said":[]}', "It is no turn."],
  [
    '{"count":1,"said":[{"type":"call","id":1,"branch":0,"name":"constructor","args":"[]"}]}',
    "It says something unknown.",
  ],
  ['{"count":1,"said":[{"type":"call","id":1,"branch":0,"name":"agent","args":"{}"}]}', "It says something unknown."],
  [
    '{"count":1,"said":[{"type":"fork","id":1,"branch":0,"name":"parallel","list":[{"type":"x"}],"stages":[]}]}',
    "It passes something unknown.",
  ],
  ['{"count":1,"said":[{"type":"returned","id":1,"handle":"1"}]}', "It says something unknown."],
  ['{"count":1,"said":[{"type":"done","json":1}]}', "It says something unknown."],
])("a line that the program does not write is not taken: %s", (line, problem) => {
  expect(() => parseTurn(line)).toThrow(problem);
});
