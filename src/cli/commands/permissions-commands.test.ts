import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { createProjectPermissions } from "../permission-memory.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({
      permissions: {
        rules: [
          { effect: "deny", tools: ["shell"], commands: ["rm *"] },
          { effect: "allow", tools: ["edit", "read"], paths: ["src/**"] },
        ],
      },
    }),
  });
  const { atomicHome, project } = environment;
  const memory = createProjectPermissions({ atomicHome, projectDirectory: project, clock: () => Date.UTC(2026, 0, 1) });
  await memory.allow({
    id: "p",
    sessionId: "s",
    kind: "shell",
    toolName: "bash",
    title: "bash: npm test",
    paths: [],
    command: "npm test",
  });
});
afterEach(() => environment.remove());

test("the rules that hold and what was allowed for good are listed", async () => {
  expect(await environment.atomic("permissions", "list")).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: [
      "EFFECT  WHAT                                                 FROM",
      "deny    shell: rm *                                          settings",
      "allow   edit, read: src/**                                   settings",
      "allow   bash: npm test                                       by you, 2026-01-01",
      "ask     everything else (reading in the project is allowed)  settings",
      "",
    ].join("\n"),
  });
});

test("what was allowed for good can be taken back", async () => {
  const first = await environment.atomic("permissions", "forget");
  expect(first).toEqual({ exitCode: 0, stdout: "Forgotten: 1. You will be asked again.\n", stderr: "" });
  const second = await environment.atomic("permissions", "forget", "--json");
  expect(second).toEqual({ exitCode: 0, stdout: '{"forgotten":0}\n', stderr: "" });
  const listed = JSON.parse((await environment.atomic("permissions", "list", "--json")).stdout);
  expect(listed.remembered).toEqual([]);
});
