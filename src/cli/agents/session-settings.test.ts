import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import {
  type AgentQuestion,
  createRedactor,
  type PermissionPolicy,
  type SessionConfig,
} from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { Keys } from "../fixtures/keys.ts";
import { RUN_TESTS } from "../fixtures/permission-request.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { UserCode } from "../user-code/user-code.ts";
import { createProjectPermissions } from "./permission-memory.ts";
import { createSessionConfig } from "./session-settings.ts";

let atomicHome: string;

beforeEach(async () => {
  atomicHome = await mkdtemp(join(tmpdir(), "atomic-session-"));
});
afterEach(() => rm(atomicHome, { recursive: true }));

const POLICY: PermissionPolicy = { rules: [{ effect: "deny", tools: ["fetch"] }], otherwise: "ask" };
const QUESTION: AgentQuestion = {
  id: "q1",
  sessionId: "s1",
  question: "Which one?",
  options: [{ label: "Red" }, { label: "Blue" }],
  isMultiple: false,
};

interface Screen {
  readonly config: SessionConfig;
  readonly stdin: PassThrough;
  readonly stderr: TextStream;
}

function open({ isInteractive = true, isJson = false } = {}): Screen {
  const stdin = new PassThrough();
  const stderr = new TextStream({ isTTY: true });
  const environment: CliEnvironment = {
    args: [],
    env: {},
    workingDirectory: "/work/app",
    userHomeDirectory: atomicHome,
    pid: 1,
    startedAt: 0,
    stdin,
    stdout: new TextStream(),
    stderr,
    redactor: createRedactor(),
    userCode: new UserCode(() => undefined),
    screen: { lendOutput: () => () => undefined, leave: () => undefined },
    hasPipedInput: false,
    isInteractive,
    onSignal: () => () => undefined,
    interrupt: () => false,
  };
  const config = createSessionConfig({
    environment,
    atomicHome,
    projectDirectory: "/work/app",
    permissions: POLICY,
    isJson,
    reporter: { pause: () => () => undefined },
    onCancel: () => undefined,
  });
  return { config, stdin, stderr };
}

test.each([
  { title: "nobody sits at the terminal", options: { isInteractive: false } },
  { title: "a program reads the output", options: { isJson: true } },
])("if $title, the policy and the memory decide without a person", ({ options }) => {
  const { config } = open(options);
  expect(Object.keys(config).sort()).toEqual(["permissionMemory", "permissions"]);
  expect(config.permissions).toEqual(POLICY);
});

test("sessions allow the remembered calls of this project", async () => {
  await createProjectPermissions({ atomicHome, projectDirectory: "/work/app" }).allow(RUN_TESTS);
  const { config } = open();
  expect(await config.permissionMemory?.isAllowed(RUN_TESTS)).toBe(true);
  expect(await config.permissionMemory?.isAllowed({ ...RUN_TESTS, command: "npm publish" })).toBe(false);
});

test("a key answers one prompt only, though a question and a permission were put at once", async () => {
  const { config, stdin, stderr } = open();
  const { signal } = new AbortController();
  const answered: string[] = [];
  const decision = Promise.resolve(config.onPermissionAsk?.(RUN_TESTS, { signal })).finally(() => {
    answered.push("permission");
  });
  const answer = Promise.resolve(config.onQuestion?.(QUESTION, { signal })).finally(() => {
    answered.push("question");
  });
  await stderr.waitFor("Allow shell: Run npm test");
  stdin.write(Keys.enter);
  expect(await decision).toEqual({ type: "allow", scope: "once", answered: "at the terminal" });
  await stderr.waitFor("Which one?");
  expect(answered).toEqual(["permission"]);
  stdin.write(Keys.down + Keys.enter);
  expect(await answer).toEqual({ type: "answer", values: ["Blue"] });
});
