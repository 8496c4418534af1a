import { describe, expect, test } from "bun:test";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createRedactor, type RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { CommandRunner } from "../../model/execution-context.ts";
import type { CommandResult } from "../../model/run-command.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type ShellNodeConfig, shellNode } from "./shell-node.ts";

async function runShell(config: Omit<ShellNodeConfig<TestState>, "id">, options: RunOptions = {}) {
  const compiled = graph(TestState)
    .start(shellNode<TestState>({ id: "test", ...config }))
    .end()
    .compile();
  return await compiled.run({ value: "from the state" }, { runId: "r", ...options });
}

describe("a shell node", () => {
  test("runs its command with the run's service, if there is one", async () => {
    const asked: unknown[] = [];
    const shell: CommandRunner = async (command, { workingDirectory, signal }) => {
      asked.push([command, workingDirectory, signal.aborted]);
      return { command, exitCode: 0, stdout: "said so", stderr: "", isTruncated: false, durationMs: 5 };
    };
    const outputMapper = ({ stdout }: CommandResult) => ({ value: stdout });
    const services = { shell, workingDirectory: "/nowhere" };
    const { state } = await runShell({ command: "exit 1", outputMapper }, { services });
    expect([state.value, asked]).toEqual(["said so", [["exit 1", "/nowhere", false]]]);
  });

  test("keeps the evidence in outputs and publishes an event", async () => {
    const events: RunEvent[] = [];
    const { state } = await runShell({ command: "echo out; echo err >&2" }, { onEvent: (event) => events.push(event) });
    const evidence = {
      command: "echo out; echo err >&2",
      exitCode: 0,
      stdout: "out\n",
      stderr: "err\n",
      isTruncated: false,
    };
    expect(state.outputs).toMatchObject({ test: evidence });
    expect(events.find(({ type }) => type.startsWith("command"))).toMatchObject({
      ...{ nodeId: "test", type: "command-start", command: evidence.command },
    });
    expect(events.find(({ type }) => type === "command-end")).toMatchObject({
      nodeId: "test",
      command: evidence.command,
      exitCode: 0,
      output: "out\n\nerr\n",
    });
  });

  test("publishes the end of a long output, and cuts no secret in half", async () => {
    const events: RunEvent[] = [];
    const redactor = createRedactor({ secrets: [{ name: "KEY", value: "zq8-Wm4Kt2Vx9LbN" }] });
    const command = "printf 'zq8-Wm4Kt2Vx9LbN%04088d' 0";
    await runShell({ command }, { onEvent: (event) => events.push(event), services: { redactor } });
    expect(events.find(({ type }) => type === "command-end")).toMatchObject({
      command: "printf '[redacted:KEY]%04088d' 0",
      output: `…ted:KEY]${"0".repeat(4_088)}`,
    });
  });

  test("fails on an exit code other than 0, with the end of the output", async () => {
    const { errorInfo } = await runShell({ command: "echo out; echo err >&2; exit 3" });
    expect(errorInfo).toEqual({
      code: "COMMAND_FAILED",
      message: "The command `echo out; echo err >&2; exit 3` ended with exit code 3.\nerr\n",
      nodeId: "test",
    });
    expect((await runShell({ command: "echo out; exit 3" })).errorInfo?.message).toBe(
      "The command `echo out; exit 3` ended with exit code 3.\nout\n",
    );
    expect((await runShell({ command: "exit 3" })).errorInfo?.message).toBe(
      "The command `exit 3` ended with exit code 3.",
    );
  });

  test("leaves the verdict to its mapper by default, if it has one", async () => {
    const outputMapper = ({ exitCode }: CommandResult): Partial<TestState> => ({ total: exitCode });
    expect((await runShell({ command: "exit 3", outputMapper })).state.total).toBe(3);
    expect((await runShell({ command: "exit 3", outputMapper, failsOnError: true })).errorInfo?.code).toBe(
      "COMMAND_FAILED",
    );
    expect((await runShell({ command: "exit 3", failsOnError: false })).state.outputs).toMatchObject({
      test: { exitCode: 3 },
    });
  });

  test("builds its command from the state", async () => {
    const { state } = await runShell({ command: ({ value }) => `echo '${value}'` });
    expect(state.outputs).toMatchObject({ test: { stdout: "from the state\n" } });
  });

  test("runs in the run's working directory, or in its own", async () => {
    const folder = await realpath(tmpdir());
    const services = { workingDirectory: "/" };
    const outputMapper = ({ stdout }: CommandResult): Partial<TestState> => ({ value: stdout.trim() });
    const command = "pwd";
    expect((await runShell({ command, outputMapper }, { services })).state.value).toBe("/");
    expect((await runShell({ command, outputMapper, workingDirectory: folder }, { services })).state.value).toBe(
      folder,
    );
    expect((await runShell({ command, outputMapper, workingDirectory: () => folder })).state.value).toBe(folder);
  });

  test("stops a command that times out", async () => {
    const { errorInfo } = await runShell({ command: "sleep 300", timeout: 20 });
    expect(errorInfo?.message).toBe(
      'The node "test" took longer than its time limit of 20 ms. Raise it or split the node.',
    );
  });

  test("can be retried", async () => {
    const attempts: number[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start") attempts.push(event.attempt);
    };
    await runShell({ command: "exit 1", retry: { maxAttempts: 2, backoffMs: 0 } }, { onEvent });
    expect(attempts).toEqual([1, 2]);
  });
});
