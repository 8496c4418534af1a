import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OUTSIDE_FILES, PROTECTED_FILES } from "../../clients/index.ts";
import { createProjectPermissions } from "../agents/permission-memory.ts";
import { RULES, writePermissionSettings } from "../fixtures/permission-settings.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await writePermissionSettings(environment);
});
afterEach(() => environment.remove());

test("the rules that hold, what was allowed for good and what is protected are listed", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic("permissions", "list");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith(
    [
      "RULE  EFFECT  FROM     WHAT",
      "1     deny    yours    shell: rm *",
      "2     allow   yours    edit, read: src/**",
      "      ask     default  everything else (reading in the project is allowed)",
      "",
      "CALL  SINCE       ALLOWED FOR GOOD IN THIS PROJECT",
      "1     2026-01-01  bash: npm test",
      "Take one back with: atomic permissions forget CALL",
      "",
      "Changes of these files require approval, unless a rule names them:",
      "  deploy/**",
      "      your settings list it",
      "  **/.claude  **/.claude.json  **/.mcp.json  ",
    ].join("\n"),
  );
  expect(stdout).toEndWith(`  ../**\n      ${OUTSIDE_FILES.reason}\n`);
  expect(JSON.parse((await environment.atomic("permissions", "list", "--json")).stdout)).toEqual({
    rules: RULES.map((rule) => ({ ...rule, from: "user" })),
    otherwise: "ask",
    otherwiseFrom: "default",
    isProjectIgnored: false,
    remembered: [
      { number: 1, key: expect.any(String), title: "bash: npm test", allowedAt: "2026-01-01T00:00:00.000Z" },
    ],
    protectedFiles: [{ pattern: "deploy/**", reason: "your settings list it" }, ...PROTECTED_FILES, OUTSIDE_FILES],
  });
});

test("what a rule is about is wrapped beside its effect", async () => {
  const commands = ["npm run build -- --filter the-package-of-the-shop", "npm test -- --coverage"];
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({
      permissions: { rules: [{ effect: "allow", tools: ["shell"], commands }] },
    }),
  });
  const { stdout } = await environment.start(["permissions", "list"], { isTTY: true, columns: 74 }).ended;
  expect(stdout).toStartWith(
    [
      "RULE  EFFECT  FROM     WHAT",
      "1     allow   yours    shell: npm run build -- --filter",
      "                       the-package-of-the-shop | npm test -- --coverage",
      "      ask     default  everything else (reading in the project is allowed)",
      "",
    ].join("\n"),
  );
});

test("in a narrow terminal, no line is longer than the terminal is wide", async () => {
  const { stdout } = await environment.start(["permissions", "list"], { isTTY: true, columns: 40 }).ended;
  expect(stdout.split("\n").filter((line) => line.length > 40)).toEqual([]);
  expect(stdout).toStartWith(["RULE  EFFECT  FROM", "  WHAT", "1     deny    yours", "  shell: rm *", ""].join("\n"));
  expect(stdout).toContain("\n      agents read their settings, hooks\n      and plugins from it\n");
});

const OF_PROJECT = {
  permissions: {
    rules: [{ effect: "allow", tools: ["shell"], commands: ["npm *"] }],
    otherwise: "allow",
    protectedPaths: ["infra/**"],
  },
};

async function writeProjectSettings(): Promise<void> {
  await environment.write({
    "project/.atomic/config.json": JSON.stringify(OF_PROJECT),
    "home/.atomic/config.json": JSON.stringify({ permissions: { rules: RULES, otherwise: "ask" } }),
  });
}

test("the list shows which rules are the project's, and ignores its milder effect of unmatched calls", async () => {
  await writeProjectSettings();
  await environment.atomic("workflows", "list", "--trust");
  const { stdout } = await environment.atomic("permissions", "list");
  expect(stdout).toStartWith(
    [
      "RULE  EFFECT  FROM     WHAT",
      "1     deny    yours    shell: rm *",
      "2     allow   yours    edit, read: src/**",
      "3     allow   project  shell: npm *",
      "      ask     yours    everything else (reading in the project is allowed)",
      "",
      'Ignored: "otherwise": "allow" in the project\'s settings, because your settings are stricter.',
      "",
    ].join("\n"),
  );
  expect(stdout).toContain("  infra/**\n      the project's settings list it\n");
  const listed = JSON.parse((await environment.atomic("permissions", "list", "--json")).stdout);
  expect([listed.otherwiseFrom, listed.overruledOtherwise]).toEqual(["user", { effect: "allow", from: "project" }]);
  expect((await environment.atomic("permissions", "why", "ls")).exitCode).toBe(3);
});

test("settings of a project that is not trusted are listed as ignored", async () => {
  await writeProjectSettings();
  const { stdout } = await environment.atomic("permissions", "list");
  expect(stdout).not.toContain("npm *");
  expect(stdout).toContain(
    "\nIgnored: .atomic/config.json, because this project is not trusted. Trust it with: atomic trust add\n",
  );
});

test("Atomic's own folder is listed as protected where it has another name", async () => {
  const ATOMIC_HOME = `${environment.root}/state`;
  const { stdout } = await environment.start(["permissions", "list"], { env: { ATOMIC_HOME } }).ended;
  expect(stdout).toContain(
    `\n  ${ATOMIC_HOME.slice(1)}\n      Atomic keeps your settings in it, and what you trust and allowed\n`,
  );
});

describe("forgetting", () => {
  async function remember(toolName: string, command: string): Promise<void> {
    const { atomicHome, project } = environment;
    const title = `${toolName}: ${command}`;
    const call = { id: "p", sessionId: "s", kind: "shell", toolName, title, paths: [], command } as const;
    await createProjectPermissions({ atomicHome, projectDirectory: project }).allow(call);
  }

  async function listed(): Promise<readonly string[]> {
    const { stdout } = await environment.atomic("permissions", "list", "--json");
    return JSON.parse(stdout).remembered.map(({ title }: { readonly title: string }) => title);
  }

  beforeEach(async () => {
    await remember("bash", "npm run build");
    await remember("Bash", "npm test");
  });

  test.each([
    { call: "2", forgotten: ["bash: npm run build"], left: ["bash: npm test", "Bash: npm test"] },
    { call: "Bash: npm test", forgotten: ["Bash: npm test"], left: ["bash: npm test", "bash: npm run build"] },
    { call: "npm test", forgotten: ["bash: npm test", "Bash: npm test"], left: ["bash: npm run build"] },
  ])("$call takes back that call only", async ({ call, forgotten, left }) => {
    const { exitCode, stdout, stderr } = await environment.atomic("permissions", "forget", call);
    const lines = ["Requires approval again:", ...forgotten.map((title) => `  ${title}`), ""];
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: lines.join("\n"), stderr: "" });
    expect(await listed()).toEqual(left);
  });

  test("without a call everything is taken back", async () => {
    const first = await environment.atomic("permissions", "forget", "--json");
    const titles = ["bash: npm test", "bash: npm run build", "Bash: npm test"];
    expect(first).toEqual({ exitCode: 0, stdout: `${JSON.stringify({ forgotten: titles })}\n`, stderr: "" });
    expect(await listed()).toEqual([]);
    expect(await environment.atomic("permissions", "forget")).toEqual({
      ...{ exitCode: 0, stderr: "" },
      stdout: "Nothing was allowed for good in this project.\n",
    });
    const unknown = await environment.atomic("permissions", "forget", "1");
    expect(unknown.stderr).toBe(
      'error: There is no call "1" to forget: nothing was allowed for good in this project.\n       (USAGE)\n',
    );
  });

  test.each([
    { call: "4", hint: [] },
    { call: "0", hint: [] },
    { call: "npm tset", hint: ['       Did you mean "npm test"?'] },
  ])("an unknown call is an error, and nothing is forgotten: $call", async ({ call, hint }) => {
    const { exitCode, stderr } = await environment.atomic("permissions", "forget", call);
    expect(exitCode).toBe(2);
    expect(stderr.split("\n")).toEqual([
      `error: No call "${call}" was allowed for good in this project.`,
      ...hint,
      "       List them with: atomic permissions list",
      "       (USAGE)",
      "",
    ]);
    expect(await listed()).toHaveLength(3);
  });
});
