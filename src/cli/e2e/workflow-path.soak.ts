import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runIdIn } from "../fixtures/test-environment.ts";
import type { AtomicResult } from "./fixtures/atomic-process.ts";
import { GATE } from "./fixtures/gate-workflow.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const GREET = `import { agentNode, annotation, defineState, graph } from "@bastani/atomic/graph";
import { word } from "./helper.ts";
const State = defineState({ prompt: annotation("the world"), answer: annotation("") });
export default () =>
  graph(State)
    .start(agentNode({ id: "greet", buildMessage: word, outputMapper: ({ content }) => ({ answer: content }) }))
    .end()
    .compile({ output: ({ answer }) => answer });
`;

const HELPER = 'export const word = "Say hello";';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});

afterEach(async () => {
  await sandbox.remove();
});

/** Writes a file by its path relative to the sandbox. */
async function writeOutside(path: string, text: string): Promise<string> {
  const file = join(sandbox.root, path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** How a call fails that starts nothing. */
function usageError(...lines: readonly string[]): Partial<AtomicResult> {
  const [first, ...others] = lines;
  const stderr = [`error: ${first}`, ...others.map((line) => `       ${line}`), ""].join("\n");
  return { exitCode: 2, stdout: "", stderr };
}

describe("a workflow file in any folder of a project", () => {
  test.each(["./flows/greet.ts", "flows/greet.ts", "ABSOLUTE"])("runs by its path: %p", async (written) => {
    await sandbox.write({ "flows/greet.ts": GREET, "flows/helper.ts": HELPER });
    const path = written === "ABSOLUTE" ? join(sandbox.project, "flows/greet.ts") : written;
    const { exitCode, stdout } = await sandbox.atomic("run", path, "--agent", "scripted", "--trust");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^completed {2}greet {2}run .*\n.*\n\nScripted answer to: Say hello\n$/);
  });

  test("runs by its name with the extension in its own folder, and without it the error says how", async () => {
    await sandbox.write({ "greet.ts": GREET, "helper.ts": HELPER });
    expect(await sandbox.atomic("run", "greet")).toMatchObject(
      usageError(
        'There is no workflow "greet", but there is a file of this name.',
        "Name it by its path: ./greet.ts",
        "(WORKFLOW_UNKNOWN)",
      ),
    );
    expect((await sandbox.atomic("run", "greet.ts", "--agent", "scripted", "--trust")).exitCode).toBe(0);
  });

  test("is verified, shown, drawn, planned and described", async () => {
    await sandbox.write({ "greet.ts": `${GREET}export const descripton = "x";`, "helper.ts": HELPER });
    const file = join(sandbox.project, "greet.ts");
    expect(await sandbox.atomic("workflows", "verify", "./greet.ts", "--trust")).toMatchObject({
      exitCode: 0,
      stdout: `ok  greet  ${file}\nTypes: not checked, the project has no TypeScript in node_modules\n`,
      stderr: `Trusted ${sandbox.project}.\nwarning: ${file}:9:1: The export "descripton" means nothing to Atomic. Did you mean "description"?\n`,
    });
    const shown = JSON.parse((await sandbox.atomic("workflows", "show", "./greet.ts", "--json")).stdout);
    expect(shown).toMatchObject({ name: "greet", source: "local", path: file });
    expect((await sandbox.atomic("workflows", "graph", "./greet.ts")).stdout).toContain("flowchart");
    expect((await sandbox.atomic("run", "./greet.ts", "--plan")).stdout).toContain("  greet: agent, by opencode\n");
    const help = await sandbox.atomic("run", "./greet.ts", "--help");
    expect(help.stdout).toContain("\nWorkflow greet\n");
    expect(help.stdout).toContain("A path such as ./flow.ts runs that file, wherever it is.");
  });

  test("takes precedence over a workflow of its name, also when its run is resumed", async () => {
    await sandbox.write({ "gate.ts": GATE, ".atomic/workflows/gate.ts": GREET, ".atomic/workflows/helper.ts": HELPER });
    const asked = await sandbox.atomic("run", "./gate.ts", "--trust");
    expect(asked.exitCode).toBe(3);
    const runId = runIdIn(asked.stdout);
    expect((await sandbox.atomic("runs", "show", runId, "--state")).exitCode).toBe(0);
    expect((await sandbox.atomic("runs", "edit", runId, "--set", "answer=maybe")).exitCode).toBe(0);
    const answered = await sandbox.atomic("runs", "answer", runId, "yes");
    expect([answered.exitCode, answered.stdout.split("  ").slice(0, 2)]).toEqual([0, ["completed", "gate"]]);
  });
});

describe("a path that is no workflow file", () => {
  test.each([
    {
      title: "a missing file",
      path: "./nope.ts",
      expected: [
        'There is no file "./nope.ts".',
        "Correct the path, or list the workflows with: atomic workflows list",
        "(USAGE)",
      ],
    },
    {
      title: "a folder",
      path: "./flows",
      expected: [
        '"./flows" is a folder.',
        "Name a workflow or its file; list the workflows with: atomic workflows list",
        "(USAGE)",
      ],
    },
    {
      title: "another kind of file",
      path: "flows/notes.md",
      expected: [
        '"flows/notes.md" is not a workflow file: those end in .ts, .mts, .js or .mjs.',
        "Name a workflow or its file; list the workflows with: atomic workflows list",
        "(USAGE)",
      ],
    },
    {
      title: "a file without a workflow",
      path: "flows/helper.ts",
      expected: [
        'The workflow "flows/helper.ts" cannot be loaded.',
        'PROJECT/flows/helper.ts: The file has no default export, so there is no workflow in it. Add one (export default () => graph(State).start(first).end().compile();), or put "_" before the name of a file that only helps others.',
        "(WORKFLOW_BROKEN)",
      ],
    },
  ])("is explained: $title", async ({ path, expected }) => {
    await sandbox.write({
      "flows/notes.md": "# Notes",
      "flows/helper.ts": HELPER,
    });
    await sandbox.atomic("trust", "add");
    expect(await sandbox.atomic("run", path, "--agent", "scripted", "--trust")).toMatchObject(
      usageError(...expected.map((line) => line.replace("PROJECT", sandbox.project))),
    );
  });
});

test("a workflow script runs by its path", async () => {
  await sandbox.write({
    "flows/script.js": 'export const meta = { name: "script" };\nreturn await agent("Count.");',
  });
  const { exitCode, stdout } = await sandbox.atomic("run", "flows/script.js", "--agent", "scripted", "--trust");
  expect([exitCode, stdout.trimEnd().endsWith("Scripted answer to: Count.")]).toEqual([0, true]);
});

describe("a file runs only in a place that is trusted:", () => {
  const marks = () => `import { writeFileSync } from "node:fs"; writeFileSync("${sandbox.root}/ran", "");\n${GATE}`;
  const hasRun = () => Bun.file(join(sandbox.root, "ran")).exists();

  test("this project, with all files in it", async () => {
    await sandbox.write({ "flows/gate.ts": marks() });
    const refused = usageError(
      'The workflow file "flows/gate.ts" runs code on your machine, and you have not trusted this project yet.',
      "Look at the file, then call again with --trust.",
      "(PROJECT_UNTRUSTED)",
    );
    for (const args of [["run"], ["workflows", "verify"], ["workflows", "show"], ["workflows", "graph"]])
      expect(await sandbox.atomic(...args, "flows/gate.ts")).toMatchObject(refused);
    expect(await sandbox.atomic("run", "flows/gate.ts", "--plan")).toMatchObject(refused);
    expect(await hasRun()).toBe(false);
    expect((await sandbox.atomic("trust", "add")).exitCode).toBe(0);
    expect((await sandbox.atomic("run", "flows/gate.ts")).exitCode).toBe(3);
    expect(await hasRun()).toBe(true);
  });

  test("the folder that it is in, when it is in no project, also through a link", async () => {
    const file = await writeOutside("other/gate.ts", marks());
    await symlink(file, join(sandbox.project, "link.ts"));
    await sandbox.atomic("trust", "add");
    const refusal = (path: string) =>
      usageError(
        `The workflow file "${path}" runs code on your machine, and you have not trusted the folder ${sandbox.root}/other, which it is in.`,
        `Look at the file, then call again with --trust, or trust only that folder: atomic trust add ${sandbox.root}/other`,
        "(PROJECT_UNTRUSTED)",
      );
    expect(await sandbox.atomic("run", "../other/gate.ts")).toMatchObject(refusal("../other/gate.ts"));
    expect(await sandbox.atomic("workflows", "show", "./link.ts")).toMatchObject(refusal("./link.ts"));
    expect(await hasRun()).toBe(false);
    expect((await sandbox.atomic("trust", "add", join(sandbox.root, "other"))).exitCode).toBe(0);
    expect((await sandbox.atomic("run", "./link.ts")).exitCode).toBe(3);
  });

  test("another project that it is in, which --trust trusts as a whole", async () => {
    await writeOutside("other/.git/HEAD", "ref: refs/heads/main");
    const file = await writeOutside("other/deep/gate.ts", GATE);
    expect((await sandbox.atomic("run", file)).stderr).toContain(`the folder ${sandbox.root}/other, which it is in.`);
    expect((await sandbox.atomic("run", file, "--trust")).exitCode).toBe(3);
    const { stdout } = await sandbox.atomic("trust", "list", "--json");
    const paths = JSON.parse(stdout).map(({ path }: { readonly path: string }) => path);
    expect(paths).toEqual([sandbox.project, join(sandbox.root, "other")]);
  });
});

test("a run is resumed from anywhere with the file that it was started with; without the file, the error says so", async () => {
  await sandbox.write({ "flows/gate.ts": GATE });
  const file = join(sandbox.project, "flows/gate.ts");
  const runId = runIdIn((await sandbox.atomic("run", "./flows/gate.ts", "--trust")).stdout);
  await rename(file, `${file}.gone`);
  const missing = usageError(
    `The run "${runId}" executes the workflow file ${file}, and that file is gone.`,
    "Put it back, or a link to its new place, then call again.",
    "(WORKFLOW_FILE_MISSING)",
  );
  for (const args of [
    ["resume", runId],
    ["answer", runId, "yes"],
    ["show", runId, "--state"],
  ])
    expect(await sandbox.atomic("runs", ...args)).toMatchObject(missing);
  await rename(`${file}.gone`, file);
  await sandbox.atomic("trust", "revoke");
  expect((await sandbox.atomic("runs", "answer", runId, "yes")).stderr).toContain("(PROJECT_UNTRUSTED)");
  await sandbox.atomic("trust", "add");
  const elsewhere = await writeOutside("elsewhere/x", "");
  await rm(elsewhere);
  const answered = await sandbox.shell(
    `cd ${join(elsewhere, "..")}; HOME=${sandbox.env.HOME} ${sandbox.root}/bin/atomic runs answer ${runId} yes`,
  );
  expect(answered).toStartWith(`completed  gate  run ${runId}`);
});
