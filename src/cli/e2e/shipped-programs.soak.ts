import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileProgram } from "../../../scripts/compile-program.ts";
import { packStaged, stagePackage } from "../../../scripts/stage-package.ts";
import { leaveChat, openChat, SLOW } from "./fixtures/chat-terminal.ts";
import { installPackage } from "./fixtures/install-package.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const FILES = {
  ".atomic/tools/lint.ts": `
    import { tool } from "@atomic/plugin";
    import { z } from "zod";
    export default tool({
      description: "Lints a file",
      args: { file: tool.schema.string(), level: z.number().default(1) },
      execute: async ({ file, level }) => \`\${file} is clean at \${level}\`,
    });`,
  // Its name is computed, so that it is known only after the file was loaded.
  ".atomic/workflows/flow.ts": `
    import { annotation, customToolNode, defineState, graph } from "@bastani/atomic/graph";
    import { z } from "zod";
    import { upper } from "./_upper.ts";
    const FlowState = defineState({ out: annotation("") });
    export const name = ["f", "low"].join("");
    export const description = "Lints a file";
    export default () =>
      graph(FlowState)
        .start(customToolNode({
          id: "lint",
          toolName: "lint",
          args: () => ({ file: z.string().parse("x.ts") }),
          outputMapper: (result) => ({ out: upper(String(result)) }),
        }))
        .end()
        .compile();`,
  ".atomic/workflows/_upper.ts": `
    import { z } from "zod";
    export const upper = (text: string) => z.string().transform((value) => value.toUpperCase()).parse(text);`,
};

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-shipped-")));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function compile(): Promise<string> {
  const program = join(folder, "atomic");
  await compileProgram(program);
  return program;
}

/** The package as npm installs it, with its dependencies. */
async function install(): Promise<string> {
  await stagePackage(join(folder, "staged"));
  const archive = await packStaged(join(folder, "staged"), folder);
  return join(await installPackage(archive, join(folder, "installed")), "bin/atomic");
}

describe.each([
  { title: "the compiled program", ship: compile },
  { title: "the installed package", ship: install },
])("$title, in a folder with nothing but definitions", ({ ship }) => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    const program = await ship();
    sandbox = await Sandbox.create();
    await rm(join(sandbox.root, "bin/atomic"));
    await symlink(program, join(sandbox.root, "bin/atomic"));
    await sandbox.write(FILES);
  });

  afterAll(() => sandbox.remove());

  test("runs nothing of it before it is trusted", async () => {
    const { exitCode, stderr } = await sandbox.atomic("run", "flow");
    expect(exitCode).toBe(2);
    expect(stderr).toStartWith('error: The workflow "flow" may be one of this project\'s own');
  });

  test("loads and runs a tool file", async () => {
    const called = await sandbox.atomic("tools", "run", "lint", "--args", '{"file":"a.ts"}', "--trust");
    const stderr = `Trusted ${sandbox.project}.\n`;
    expect(called).toMatchObject({ exitCode: 0, stdout: "a.ts is clean at 1\n", stderr });
  });

  test("lists, verifies and runs a workflow file that uses it", async () => {
    const listed = await sandbox.atomic("workflows", "list");
    expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(listed.stdout).toMatch(/^flow +local +Lints a file$/m);
    const verified = await sandbox.atomic("workflows", "verify");
    expect(verified).toMatchObject({ exitCode: 0, stderr: "" });
    const { exitCode, events } = await sandbox.atomic("run", "flow", "--json");
    expect({ exitCode, end: events.at(-1) }).toMatchObject({
      exitCode: 0,
      end: { type: "run-end", status: "completed", output: { out: "X.TS IS CLEAN AT 1" } },
    });
  });

  test("names hostile files, and runs the healthy one", async () => {
    await sandbox.write({
      ".atomic/workflows/exits.ts": "process.exit(7)",
      ".atomic/workflows/loops.ts": "for (;;) {}",
      ".atomic/workflows/throws.ts": 'throw new Error("no");',
    });
    const { exitCode, stdout, stderr } = await sandbox.atomic("workflows", "list");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^flow +local /m);
    for (const name of ["exits", "loops", "throws"]) expect(stderr).toContain(`.atomic/workflows/${name}.ts`);
    expect((await sandbox.atomic("run", "flow")).exitCode).toBe(0);
  });

  test("rejects a call of the program that checks a file", async () => {
    expect(await sandbox.atomic("--check-file", ".atomic/tools/lint.ts")).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: "error: only Atomic itself can use --check-file (see: atomic --help)\n",
    });
  });

  test("opens the chat in a terminal and answers", async () => {
    const terminal = openChat(sandbox, ["--agent", "scripted", "--yolo", "--trust"]);
    try {
      await terminal.until(/Ask anything/, SLOW);
      terminal.type("hello there\r");
      await terminal.until(/Scripted answer to: hello there/, SLOW);
      expect(await leaveChat(terminal)).toBe(0);
    } finally {
      terminal.close();
    }
  });

  test("runs a built-in agent's turn with the scripted agent", async () => {
    const { exitCode, stdout } = await sandbox.atomic("-p", "Say hi", "--agent", "scripted");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Scripted answer to: Say hi\n" });
  });
});

test("a program without the library that draws the chat opens a plain one, and says so", async () => {
  const sandbox = await Sandbox.create();
  try {
    const program = join(sandbox.root, "atomic-plain");
    await compileProgram(program, { library: undefined });
    await rm(join(sandbox.root, "bin/atomic"));
    await symlink(program, join(sandbox.root, "bin/atomic"));
    const terminal = openChat(sandbox, ["--agent", "scripted", "--yolo", "--trust"], { columns: 160 });
    try {
      await terminal.until(/does not have the library that draws the chat, @opentui\/core-/, SLOW);
      terminal.type("hello there\r");
      await terminal.until(/Scripted answer to: hello there/, SLOW);
      terminal.type("/exit\r");
      expect(await terminal.exit(SLOW)).toBe(0);
    } finally {
      terminal.close();
    }
  } finally {
    await sandbox.remove();
  }
});

/** What vendors' clients import, and the platform package whose program doctor calls. */
const PLANTED_PACKAGES = [
  "@agentclientprotocol/sdk",
  "@anthropic-ai/claude-agent-sdk",
  "@anthropic-ai/sandbox-runtime",
  "@github/copilot-sdk",
  "@opencode-ai/sdk",
  "@opencode-ai/sdk/v2/client",
];

test("the compiled program runs nothing of an untrusted project that it is called in", async () => {
  const sandbox = await Sandbox.create();
  try {
    const marker = join(sandbox.root, "marker");
    const mark = `require("node:fs").appendFileSync(${JSON.stringify(marker)}, __filename);`;
    const program = "node_modules/@anthropic-ai/claude-agent-sdk-linux-x64";
    await sandbox.write({
      "bunfig.toml": 'preload = ["./planted.ts"]\n',
      "planted.ts": mark,
      ".env": `ATOMIC_HOME=${sandbox.project}/planted-home\n`,
      ...Object.fromEntries(PLANTED_PACKAGES.map((name) => [`node_modules/${name}/index.js`, mark])),
      "node_modules/@anthropic-ai/sandbox-runtime/package.json": "{}",
      [`${program}/package.json`]: "{}",
      [`${program}/claude`]: `#!/bin/sh\necho "$*" >> ${marker}\n`,
    });
    await chmod(join(sandbox.project, program, "claude"), 0o755);
    await sandbox.writeConfig({ agents: { mine: { command: "no-such-program" } } });
    await rm(join(sandbox.root, "bin/atomic"));
    await symlink(join(folder, "atomic"), join(sandbox.root, "bin/atomic"));
    const call = (...args: readonly string[]) =>
      sandbox.start(args, { PATH: `${join(sandbox.root, "bin")}:/usr/bin:/bin` }).ended;
    const { stdout } = await call("doctor");
    expect(stdout).toMatch(/^claude +missing/m);
    expect(stdout).not.toContain("planted-home");
    for (const agent of ["claude", "opencode", "copilot", "mine"]) {
      expect(await call("-p", "hi", "--agent", agent)).toMatchObject({ exitCode: 1, stdout: "" });
    }
    expect(await Bun.file(marker).exists()).toBe(false);
  } finally {
    await sandbox.remove();
  }
});
