import { afterEach, describe, expect, test } from "bun:test";
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { execPath, pid } from "node:process";
import { promisify } from "node:util";
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

test("a text that closes the function around it is none", () => {
  expect(() => text('return 1; }), (() => { throw new Error("boom") })(), (async () => {')).toThrow(SyntaxError);
});

test("a script has nothing that depends on when memory is cleaned up", async () => {
  const body = "return [typeof WeakRef, typeof FinalizationRegistry];";
  expect((await text(body).run({}, { services })).output).toEqual(["undefined", "undefined"]);
});

test("long results arrive, and long errors are cut", async () => {
  const { output } = await text('return "x".repeat(20_000_000);').run({}, { services });
  expect(String(output).length).toBe(20_000_000);
  const { error } = await text('throw new Error("x".repeat(1_000_000));').run({}, { services });
  expect(error?.message.length).toBeLessThan(10_100);
});

test("a script that passes functions without end fails, also where it catches the error", async () => {
  const problem =
    "The script passed more than 100,000 functions to parallel() and pipeline(). Look for a loop without an end.";
  const all = await text("await parallel(Array.from({ length: 100_000 }, () => () => 1));").run({}, { services });
  expect(all.error?.message).toBe(`${problem.slice(0, -1)} (/p/demo.js:1:29)`);
  const nested =
    "try { for (;;) await parallel(Array(5_000).fill(() => 1)); } catch (error) { return [error.code, error.message]; }";
  expect((await text(nested).run({}, { services })).output).toEqual(["SCRIPT_LIMIT", problem]);
});

test.if(existsSync("/usr/bin/bwrap"))(
  "a sandbox that cannot be made is named, and the script runs without",
  async () => {
    const program = `
    import { compileScript } from ${JSON.stringify(join(import.meta.dirname, "../../script.ts"))};
    const warnings = [];
    const onEvent = (event) => { if (event.type === "warning") warnings.push(event.message); };
    const { output } = await compileScript({ path: "/p/demo.js", text: "return 1;" }).run({}, { onEvent });
    console.log(JSON.stringify({ output, warnings }));`;
    const walls = ["--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-user", "--disable-userns"];
    const { stdout } = await promisify(execFile)("/usr/bin/bwrap", [...walls, execPath, "-e", program]);
    expect(JSON.parse(stdout)).toEqual({
      output: 1,
      warnings: [
        expect.stringMatching(
          /^The script runs with nothing but its context between it and your account, because its sandbox did not start: bwrap: ./,
        ),
      ],
    });
  },
);

const host: ScriptHost = {
  signal: new AbortController().signal,
  warn: () => undefined,
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
