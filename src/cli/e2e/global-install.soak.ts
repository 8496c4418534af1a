import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../../../package.json";
import { packStaged, stagePackage } from "../../../scripts/stage-package.ts";
import { LocalRegistry } from "./fixtures/local-registry.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const FILES = {
  ".atomic/tools/lint.ts": `
    import { tool } from "@atomic/plugin";
    import { z } from "zod";
    export default tool({ description: "Lints", args: { file: z.string() }, execute: async ({ file }) => \`\${file} is clean\` });`,
  ".atomic/workflows/flow.ts": `
    import { annotation, customToolNode, defineState, graph } from "@bastani/atomic/graph";
    import { z } from "zod";
    const State = defineState({ out: annotation("") });
    const lint = customToolNode({
      id: "lint",
      toolName: "lint",
      args: () => ({ file: z.string().parse("x.ts") }),
      outputMapper: (result) => ({ out: String(result) }),
    });
    export default () => graph(State).start(lint).end().compile({ output: ({ out }) => out });`,
};

let sandbox: Sandbox;
let packages: string;

/** Installs the package as a user does, by npm, with nothing but a registry. */
beforeAll(async () => {
  sandbox = await Sandbox.create();
  const registry = await LocalRegistry.start();
  try {
    await stagePackage(join(sandbox.root, "staged"));
    const archive = await packStaged(join(sandbox.root, "staged"), sandbox.root);
    const prefix = join(sandbox.root, "prefix");
    await mkdir(prefix);
    // The script of "bun" would look for its program outside of this machine. Atomic does not need it.
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
    const child = Bun.spawn(["npm", "install", "--global", archive, ...options], {
      cwd: sandbox.root,
      env: {
        ...{ PATH: process.env.PATH ?? "", HOME: join(sandbox.root, "home"), npm_config_prefix: prefix },
        ...{ npm_config_registry: registry.url, npm_config_cache: join(sandbox.root, "cache") },
      },
      ...{ stdout: "pipe", stderr: "pipe" },
    });
    const [exitCode, printed, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    if (exitCode !== 0) throw new Error(`npm install --global: exit code ${exitCode}\n${printed}${errors}`);
    packages = join(prefix, "lib/node_modules", manifest.name, "node_modules");
    await rm(join(sandbox.root, "bin/atomic"));
    await symlink(join(prefix, "bin/atomic"), join(sandbox.root, "bin/atomic"));
  } finally {
    await registry.stop();
  }
}, 600_000);

afterAll(() => sandbox.remove());

test("every package that npm installed with it has files", async () => {
  const names = await readdir(packages);
  const inner = await Promise.all(
    names.map(async (name) =>
      name.startsWith("@") ? (await readdir(join(packages, name))).map((part) => join(name, part)) : [name],
    ),
  );
  const folders = inner.flat().filter((name) => !name.startsWith("."));
  const sizes = await Promise.all(folders.map(async (name) => [name, (await readdir(join(packages, name))).length]));
  expect(folders).toContain("react");
  expect(sizes.filter(([, count]) => count === 0)).toEqual([]);
});

test("its commands work: --version, doctor, demo", async () => {
  expect(await sandbox.atomic("--version")).toMatchObject({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: "" });
  const doctor = await sandbox.atomic("doctor");
  expect(doctor).toMatchObject({ exitCode: 0, stderr: "" });
  expect(doctor.stdout).toMatch(/^bun +ok/m);
  const demo = await sandbox.atomic("demo", "--agent", "scripted");
  expect(demo.exitCode).toBe(0);
  expect(`${demo.stdout}${demo.stderr}`).toContain("3 of 3 tests pass");
}, 300_000);

test("a workflow with a tool and zod runs in a folder with nothing else", async () => {
  await sandbox.write(FILES);
  const { exitCode, events } = await sandbox.atomic("run", "flow", "--trust", "--json");
  expect({ exitCode, end: events.at(-1) }).toMatchObject({
    exitCode: 0,
    end: { type: "run-end", status: "completed", output: "x.ts is clean" },
  });
}, 300_000);
