import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { PermissionDecision, PermissionPolicy } from "../../contracts/index.ts";
import type { UnifiedEntity } from "../../discovery/index.ts";
import { type ExpandPlace, expandEntity } from "./expand-entity.ts";

let project = "";

beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), "atomic-expand-")));
  await writeFile(join(project, "notes.txt"), "note one\n");
  await writeFile(join(project, ".env"), "SECRET=1\n");
  await mkdir(join(project, "folder"));
});
afterEach(() => rm(project, { recursive: true, force: true }));

const POLICY: PermissionPolicy = {
  rules: [{ effect: "allow", tools: ["shell"], commands: ["echo *"] }],
  otherwise: "ask",
};

function command(prompt: string, source: Partial<UnifiedEntity["source"]> = {}): UnifiedEntity {
  return {
    type: "command",
    name: "stat",
    description: "Stat",
    prompt,
    fields: {},
    source: { provider: "atomic", location: "project", ...source },
  };
}

async function expand(entity: UnifiedEntity, more: Partial<ExpandPlace> = {}, args = ""): Promise<string> {
  return await expandEntity(entity, {
    workingDirectory: project,
    projectDirectory: project,
    permissions: POLICY,
    args,
    signal: new AbortController().signal,
    ...more,
  });
}

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

test("a command that the permissions allow runs in the working directory", async () => {
  expect(await expand(command("A !`echo $1` B"), {}, "hi")).toBe("A hi B");
  expect(await expand(command("!`pwd; echo oops >&2`"), { permissions: ALLOW_ALL })).toBe(`${project}\noops`);
});

test("a block of Claude Code's commands runs only if the permissions allow all of its lines", async () => {
  const block = (...lines: readonly string[]) =>
    command(["A", "```!", ...lines, "```"].join("\n"), { provider: "claude" });
  expect(await expand(block("echo hi", "echo there"))).toBe("A\nhi\nthere");
  await expect(expand(block("echo hi", "touch marker"))).rejects.toMatchObject({ code: "PROMPT_COMMAND_DENIED" });
});

test("a folder that a prompt names is appended with the names in it", async () => {
  await mkdir(join(project, "folder", "deep"));
  await writeFile(join(project, "folder", "a b.ts"), "1");
  const text = 'Look at @folder and @"folder/a b.ts"';
  const files = [
    '<file path="folder">\nThis is a folder with:\na b.ts\ndeep/\n</file>',
    '<file path="folder/a b.ts">\n1\n</file>',
  ];
  expect(await expand(command(text, { provider: "claude" }), { permissions: ALLOW_ALL })).toBe(
    [text, ...files].join("\n\n"),
  );
});

test.each([
  {
    line: "pwd; seq 9 >&2; exit 3",
    said: "exit code 3. If that is no failure, append `|| true` to it. It printed:\n5\n6\n7\n8\n9",
  },
  { line: "echo out; exit 1", said: "exit code 1. If that is no failure, append `|| true` to it. It printed:\nout" },
  { line: "false", said: "exit code 1. If that is no failure, append `|| true` to it. It printed nothing." },
])("the failing command $line stops the prompt with the end of what it printed", async ({ line, said }) => {
  await expect(expand(command(`!\`${line}\``), { permissions: ALLOW_ALL })).rejects.toMatchObject({
    code: "PROMPT_COMMAND_FAILED",
    isRetryable: false,
    message: `"stat" runs the command "${line}" for its prompt, which failed: ${said}`,
  });
});

test("a failing command of OpenCode's is a warning, and the prompt says how it ended, as OpenCode continues", async () => {
  const warnings: string[] = [];
  const place = { permissions: ALLOW_ALL, onWarn: (line: string) => void warnings.push(line) };
  expect(await expand(command("A !`echo oops >&2; exit 3`", { provider: "opencode" }), place)).toBe(
    "A oops\n(exit code 3)",
  );
  expect(warnings).toEqual([expect.stringContaining("which failed: exit code 3.")]);
});

test("the prompt of Copilot's names the project, and a missing input stops it", async () => {
  const prompt = command("In ${workspaceFolderBasename} at ${workspaceFolder}: ${input:goal:why}", {
    provider: "copilot",
  });
  expect(await expand(prompt, {}, "goal=this")).toBe(`In ${basename(project)} at ${project}: this`);
  await expect(expand(prompt)).rejects.toMatchObject({ code: "PROMPT_INPUT_MISSING" });
});

test("a command that requires approval asks the person, and is denied where nobody can answer", async () => {
  await expect(expand(command("!`id $(x)`"))).rejects.toMatchObject({
    code: "PROMPT_COMMAND_DENIED",
    isRetryable: false,
    allowedBy: "shell:id $(x)",
    message: expect.stringContaining("Allow it with: --allow 'shell:id $(x)'"),
  });
  const asked: unknown[] = [];
  const answer = (decision: PermissionDecision) => ({
    onPermissionAsk: async (request: unknown) => {
      asked.push(request);
      return decision;
    },
  });
  expect(await expand(command("!`printf yes`"), answer({ type: "allow" }))).toBe("yes");
  await expect(expand(command("!`printf no`"), answer({ type: "deny", reason: "No." }))).rejects.toMatchObject({
    message: '"stat" runs the command "printf no" for its prompt, which was denied: you did not allow it.',
  });
  expect(asked).toMatchObject([{ command: "printf yes" }, { command: "printf no" }]);
});

test("the errors about a very long command show its start and its end", async () => {
  const line = `printf ${"x".repeat(10_000)}`;
  const shown = `printf ${"x".repeat(193)} … 9607 more characters … ${"x".repeat(200)}`;
  await expect(expand(command(`!\`${line}\``))).rejects.toMatchObject({
    command: line,
    allowedBy: undefined,
    message: `"stat" runs the command "${shown}" for its prompt, which was denied: No rule matches, so it requires approval ("otherwise": "ask"). Move it into a script.`,
  });
  const rules = [{ effect: "deny", tools: ["shell"], commands: ["printf *"] }] as const;
  const denied = expand(command(`!\`${line}\``), { permissions: { rules, otherwise: "ask" } });
  await expect(denied).rejects.toMatchObject({
    message: expect.stringMatching(
      /^.{400,500} for its prompt, which was denied: Rule 1 .{350,500} matches "printf \*"\.$/,
    ),
  });
  const failed = expand(command(`!\`${line}; exit 1\``), { permissions: ALLOW_ALL });
  await expect(failed).rejects.toMatchObject({
    message: expect.stringMatching(/^.{400,500} for its prompt, which failed: exit code 1\./),
  });
});

test("nothing of a project that is not trusted runs, and nothing runs beside a sandbox", async () => {
  await expect(expand(command("!`echo hi`", { isUntrusted: true }))).rejects.toMatchObject({
    message:
      '"stat" runs the command "echo hi" for its prompt, which was denied: its project is not trusted. Look at it, then: atomic trust add',
  });
  await expect(expand(command("!`echo hi`"), { isSandboxed: true })).rejects.toMatchObject({
    message:
      '"stat" runs the command "echo hi" for its prompt, which was denied: it would run outside the sandbox. Call without --sandbox.',
  });
});

test("files of the working directory are put in, those that require approval only after it", async () => {
  const text = "See @notes.txt @folder @a\0b @../etc/passwd @/etc/passwd @missing.txt";
  const warnings: string[] = [];
  const onWarn = (line: string): void => void warnings.push(line);
  await writeFile(join(project, "a.bin"), "a\0b");
  expect(await expand(command(`${text} @a.bin`), { onWarn })).toBe(
    `${text} @a.bin\n\n<file path="notes.txt">\nnote one\n\n</file>\n\n<file path="folder">\nThis is a folder with:\n</file>`,
  );
  expect(warnings).toEqual([
    '"stat" names @/etc/passwd, which is not put into its prompt: it is outside of the working folder.',
    '"stat" names @a.bin, which is not put into its prompt: it is no text.',
  ]);
  const secret = command("See @.env");
  const block = (content: string): string => `See @.env\n\n<file path=".env">\n${content}\n</file>`;
  expect(await expand(secret)).toBe(block("(not included: reading it requires approval)"));
  expect(await expand(secret, { onPermissionAsk: async () => ({ type: "allow" }) })).toBe(block("SECRET=1\n"));
});

test("a file is put in once, whatever its paths", async () => {
  await symlink("notes.txt", join(project, "link.txt"));
  const text = `See @notes.txt @link.txt ${Array.from({ length: 8192 }, (_, index) => `@${"./".repeat(index % 90)}notes.txt`).join(" ")}`;
  expect(await expand(command(text))).toBe(`${text}\n\n<file path="notes.txt">\nnote one\n\n</file>`);
});

test("at most 100 files of 1 MiB are put in, and the prompt says which were not", async () => {
  const names = Array.from({ length: 112 }, (_, index) => `f${index}.txt`);
  for (const name of names) await writeFile(join(project, name), "x");
  const small = names.map((name) => `@${name}`).join(" ");
  const block = (name: string, content: string): string => `\n\n<file path="${name}">\n${content}\n</file>`;
  const limit = "A prompt takes at most 100 files with 1048576 characters. Not included:";
  const quoted = names.slice(100, 110).map((name) => `"${name}"`);
  expect(await expand(command(small))).toBe(
    `${small}${names
      .slice(0, 100)
      .map((name) => block(name, "x"))
      .join("")}\n\n(${limit} ${quoted.join(", ")}, 2 more)`,
  );
  const content = "x".repeat(65_536);
  for (const name of names.slice(0, 17)) await writeFile(join(project, name), content);
  const large = names.slice(0, 18).map((name) => `@${name}`);
  expect(await expand(command(large.join(" ")))).toBe(
    `${large.join(" ")}${names
      .slice(0, 16)
      .map((name) => block(name, content))
      .join("")}\n\n(${limit} "f16.txt", "f17.txt")`,
  );
});

test("of many paths only the first thousand are looked up, and the prompt says so", async () => {
  const text = `${Array.from({ length: 1000 }, (_, index) => `@none${index}`).join(" ")} @notes.txt`;
  expect(await expand(command(text))).toBe(`${text}\n\n(Only the first 1000 of 1001 paths were looked up)`);
});

test("ten files that are left out are named", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `f${index}.bin`);
  for (const name of names) await writeFile(join(project, name), "\0");
  const warnings: string[] = [];
  await expand(command(names.map((name) => `@${name}`).join(" ")), { onWarn: (line) => void warnings.push(line) });
  expect(warnings.slice(9)).toEqual([
    '"stat" names @f9.bin, which is not put into its prompt: it is no text.',
    "Further files that are not put in are not named.",
  ]);
});
