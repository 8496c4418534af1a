import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findProcesses, waitForNoProcess } from "../e2e/fixtures/processes.ts";
import { type InstallAgentOptions, installAgent, installedVersions } from "./install-agent.ts";

const PACKAGES = { "some-sdk": "1.0.0" };

let root: string;
let vendorRoot: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-install-"));
  vendorRoot = join(root, "vendor");
});
afterEach(() => rm(root, { recursive: true, maxRetries: 5, retryDelay: 100 }));

/** A fake npm that runs a script before it creates the package. */
async function useNpm(script = ""): Promise<void> {
  const manifest = JSON.stringify({ name: "some-sdk", version: "1.0.0" });
  const folder = "node_modules/some-sdk";
  const text = `#!/bin/sh\n${script}\nmkdir -p ${folder} && echo '${manifest}' > ${folder}/package.json\n`;
  await mkdir(join(root, "bin"), { recursive: true });
  await writeFile(join(root, "bin", "npm"), text);
  await chmod(join(root, "bin", "npm"), 0o755);
}

function optionsFor(changes: Partial<InstallAgentOptions> = {}): InstallAgentOptions {
  return {
    vendorRoot,
    agentType: "some",
    packages: PACKAGES,
    env: { PATH: `${join(root, "bin")}:/usr/bin:/bin` },
    signal: new AbortController().signal,
    processId: process.pid,
    ...changes,
  };
}

/** The folder of an install that was made earlier, or was on its way. */
async function leave(name: string): Promise<void> {
  const folder = join(vendorRoot, name, "node_modules", "some-sdk");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "some-sdk", version: "0.9.0" }));
}

const versionsOf = (name: string) => installedVersions(join(vendorRoot, name), PACKAGES);

test("an install that cannot take the earlier one's place leaves it where it was", async () => {
  await useNpm();
  await leave("some");
  const move = async (from: string, to: string): Promise<void> => {
    if (from !== join(vendorRoot, "some") && !from.endsWith(".old")) throw new Error("The disk is broken.");
    await rename(from, to);
  };
  await expect(installAgent(optionsFor({ move }))).rejects.toThrow("The disk is broken.");
  expect(await versionsOf("some")).toEqual({ "some-sdk": "0.9.0" });
  expect(await readdir(vendorRoot)).toEqual(["some"]);
});

test("of two concurrent installs, one fails with the owner of the other, which is not disturbed", async () => {
  await useNpm('touch started; while [ ! -e "../go" ]; do sleep 0.05; done');
  const first = installAgent(optionsFor());
  while (!(await readdir(vendorRoot, { recursive: true }).catch(() => [])).some((name) => name.endsWith("started"))) {
    await Bun.sleep(10);
  }
  await expect(installAgent(optionsFor())).rejects.toThrow(
    `The agent "some" is being installed by process ${process.pid} already. Wait for that to end, then try again.`,
  );
  await writeFile(join(vendorRoot, "go"), "");
  expect(await first).toBe(join(vendorRoot, "some"));
  expect(await versionsOf("some")).toEqual(PACKAGES);
  expect((await readdir(vendorRoot)).sort()).toEqual(["go", "some"]);
});

test("what a killed install left is cleared away, that of other agents is not", async () => {
  await useNpm();
  for (const name of [".some-abc", "some", ".some-def.old", ".other-abc"]) await leave(name);
  await installAgent(optionsFor());
  expect((await readdir(vendorRoot)).sort()).toEqual([".other-abc", "some"]);
  expect(await versionsOf("some")).toEqual(PACKAGES);
});

test("an earlier install that was put aside by one that was killed is put back before anything can fail", async () => {
  await useNpm("exit 1");
  await leave(".some-def.old");
  await expect(installAgent(optionsFor())).rejects.toThrow("npm ended with exit code 1.");
  expect(await readdir(vendorRoot)).toEqual(["some"]);
  expect(await versionsOf("some")).toEqual({ "some-sdk": "0.9.0" });
});

test("without npm the message says so", async () => {
  const env = { PATH: join(root, "bin") };
  await mkdir(env.PATH, { recursive: true });
  for (const name of ["sh", "cat"]) await Bun.$`ln -s ${Bun.which(name)} ${join(env.PATH, name)}`.quiet();
  await expect(installAgent(optionsFor({ env }))).rejects.toThrow("npm ended with exit code 127 (is npm installed?).");
});

test.skipIf(process.platform !== "linux")(
  "npm ends with Atomic, kill -9 included, also when it heeds no SIGTERM",
  async () => {
    await useNpm("trap '' TERM; echo started > \"$REPORT\"; sleep 300");
    const mark = `mark-${crypto.randomUUID()}`;
    const report = join(root, "report");
    const { signal: _signal, ...options } = optionsFor();
    const env = { ...options.env, MARK: mark, REPORT: report };
    const program = [
      `import { installAgent } from ${JSON.stringify(join(import.meta.dir, "install-agent.ts"))};`,
      `await installAgent({ ...${JSON.stringify({ ...options, env })}, signal: new AbortController().signal });`,
    ].join("\n");
    const atomic = Bun.spawn([process.execPath, "-e", program], { env: { PATH: options.env.PATH ?? "" } });
    while (!(await Bun.file(report).exists())) await Bun.sleep(20);
    expect((await findProcesses(mark)).length).toBeGreaterThan(0);
    atomic.kill("SIGKILL");
    await atomic.exited;
    expect(await waitForNoProcess(mark, 5_000)).toEqual([]);
  },
);
