import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type CallResult, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.write({ "project/.claude/settings.json": "{}", "project/.atomic/config.json": "{}" });
});
afterEach(() => environment.remove());

const FILES = [".atomic/config.json", ".claude/settings.json"];
const TODAY = new Date().toISOString().slice(0, 10);
const NOT_TRUSTED = [
  "<root>/project is not trusted.",
  "Not loaded, because it is not trusted:",
  ...FILES.map((file) => `  ${file}`),
  "Look at what it brings along, then trust it with: atomic trust add",
  "",
].join("\n");

/** Calls `atomic trust` in a folder, by path relative to the root. */
async function trust(args: readonly string[] = [], workingDirectory = "project"): Promise<CallResult> {
  const { exitCode, stdout, stderr } = await environment.start(["trust", ...args], { workingDirectory }).ended;
  const normalise = (text: string): string => text.replaceAll(environment.root, "<root>");
  return { exitCode, stdout: normalise(stdout), stderr: normalise(stderr) };
}

function done(stdout: string): CallResult {
  return { exitCode: 0, stdout, stderr: "" };
}

function failed(...lines: readonly string[]): CallResult {
  return {
    exitCode: 2,
    stdout: "",
    stderr: [`error: ${lines[0]}`, ...lines.slice(1).map((line) => `       ${line}`), ""].join("\n"),
  };
}

test("a project is trusted, shown as trusted, and no longer trusted, from any folder in it", async () => {
  await mkdir(join(environment.project, "src"));
  expect(await trust()).toEqual(done(NOT_TRUSTED));
  expect(await trust(["--json"], "project/src")).toEqual(
    done(`${JSON.stringify({ project: "<root>/project", isTrusted: false, files: FILES })}\n`),
  );
  const loaded = ["Loaded, by Atomic or an agent:", ...FILES.map((file) => `  ${file}`), ""].join("\n");
  expect(await trust(["add"], "project/src")).toEqual(
    done(`<root>/project is trusted from now on, for Atomic and all agents.\n${loaded}`),
  );
  expect(await trust(["add", "--json"])).toEqual(
    done(`${JSON.stringify({ project: "<root>/project", wasTrusted: true, files: FILES })}\n`),
  );
  expect(await trust()).toEqual(
    done(`<root>/project is trusted, since ${TODAY}.\n${loaded}Withdraw the trust with: atomic trust revoke\n`),
  );
  expect(await trust(["revoke"], "project/src")).toEqual(
    done("<root>/project is no longer trusted. Runs that are in progress are not stopped.\n"),
  );
  expect(await trust()).toEqual(done(NOT_TRUSTED));
});

test("--trust trusts the project, and without trust its workflow does not run", async () => {
  await environment.write({ "project/.atomic/workflows/gate.ts": GATE });
  expect((await environment.atomic("run", "gate")).stderr).toContain("(PROJECT_UNTRUSTED)");
  await trust(["add"]);
  expect((await environment.atomic("run", "gate", "--agent", "scripted")).exitCode).toBe(3);
  await trust(["revoke"]);
  expect((await environment.atomic("run", "gate")).stderr).toContain("(PROJECT_UNTRUSTED)");
  await environment.atomic("workflows", "list", "--trust");
  expect((await trust()).stdout).toStartWith("<root>/project is trusted, ");
});

test("trusted projects are listed, and one that is gone can still be revoked", async () => {
  expect(await trust(["list"])).toEqual(done("You trust no project yet.\n"));
  await mkdir(join(environment.root, "other/.git"), { recursive: true });
  await trust(["add", "../other"]);
  await trust(["add"]);
  expect(await trust(["list"])).toEqual(
    done(`SINCE       PROJECT\n${TODAY}  <root>/other\n${TODAY}  <root>/project\n`),
  );
  await rm(join(environment.root, "other"), { recursive: true });
  expect((await trust(["revoke", "../other"])).exitCode).toBe(0);
  const listed: unknown = JSON.parse((await trust(["list", "--json"])).stdout);
  expect(listed).toEqual([{ path: "<root>/project", trustedAt: expect.stringContaining(TODAY) }]);
});

test.each([
  {
    args: ["add", "src"],
    error: [
      '"src" is a part of the project <root>/project, which is trusted as a whole: atomic trust add <root>/project',
    ],
  },
  { args: ["add", "nowhere"], error: ['There is no folder "nowhere" to trust.', "Check the path."] },
  {
    args: ["add", "src/a.ts"],
    error: ['"src/a.ts" is a file.', "Trust is given to the folder of a project."],
  },
  {
    args: ["revoke"],
    error: [
      'There is no trust to withdraw: "<root>/project" is not trusted.',
      "List the projects you trust with: atomic trust list",
    ],
  },
])("what cannot be trusted or revoked is an error: $args", async ({ args, error }) => {
  await environment.write({ "project/src/a.ts": "" });
  expect(await trust(args)).toEqual(failed(...error, "(USAGE)"));
  expect(await trust(["list", "--json"])).toEqual(done("[]\n"));
});

test("a misspelt project that is trusted is suggested", async () => {
  await trust(["add"]);
  expect((await trust(["revoke", "../projekt"])).stderr).toContain('Did you mean "<root>/project"?');
});

test("a word that is no command of trust is an error, with the nearest", async () => {
  expect(await trust(["rvoke"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "error: unknown command 'rvoke'\n(Did you mean revoke?)\n(see: atomic trust --help)\n",
  });
  expect((await trust(["./my app"])).stderr).toContain("(Did you mean atomic trust add './my app'?)");
});

const BROKEN =
  "<root>/home/.atomic/trusted-projects.json: The list of trusted projects cannot be used: JSON Parse error: Unexpected EOF. No project counts as trusted.";

test("a damaged list is an error where it is needed, and put aside by the next project that is trusted", async () => {
  await environment.write({ "home/.atomic/trusted-projects.json": "[" });
  const error = failed(
    BROKEN.replace(" No project counts as trusted.", ""),
    "No project counts as trusted.",
    "Correct or remove the file, then trust your projects again.",
    "(TRUST_LIST_BROKEN)",
  );
  expect(await trust(["list"])).toEqual(error);
  expect(await trust(["revoke"])).toEqual(error);
  const shown = await trust();
  expect(shown).toEqual({
    ...done(NOT_TRUSTED),
    stderr: `warning: ${BROKEN} Correct or remove the file, then trust your projects again.\n`,
  });
  const added = await trust(["add"]);
  expect([added.exitCode, added.stderr]).toEqual([
    0,
    `warning: ${BROKEN} It is kept as <root>/home/.atomic/trusted-projects.json.broken.\n`,
  ]);
  expect(await environment.read("home/.atomic/trusted-projects.json.broken")).toBe("[");
  expect((await trust()).stderr).toBe("");
});

test.each([
  { args: ["-p", "hello", "--agent", "scripted"] },
  { args: ["run", "ralph", "x", "--agent", "scripted", "--json"] },
  { args: ["workflows", "list", "--json"] },
  { args: ["permissions", "list"] },
  { args: ["permissions", "why", "ls"] },
])("every command that asks for trust says once that the list is damaged: $args", async ({ args }) => {
  await environment.write({ "home/.atomic/trusted-projects.json": "[" });
  const { stderr } = await environment.atomic(...args);
  const warning = `warning: ${BROKEN} Correct or remove the file, then trust your projects again.\n`;
  expect(stderr.replaceAll(environment.root, "<root>").split(warning)).toHaveLength(2);
});

test("every command explains --trust in the same words", async () => {
  const commands = [
    [],
    ["run"],
    ["ralph"],
    ["runs", "resume"],
    ["runs", "answer"],
    ["runs", "retry"],
    ["workflows", "list"],
  ];
  const helps = await Promise.all(
    commands.map((command) => environment.start([...command, "--help"], { columns: 300 }).ended),
  );
  const texts = helps.map(({ stdout }) => /--trust +(.*)/.exec(stdout)?.[1]);
  expect([...new Set(texts)]).toEqual([
    "trust this project from now on: its workflows, its tools, its settings and its agent settings",
  ]);
});
