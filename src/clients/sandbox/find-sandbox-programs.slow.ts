import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { programsOnPath } from "../../system/index.ts";
import { findSandboxPrograms } from "./find-sandbox-programs.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-programs-")));
});
afterEach(() => rm(folder, { recursive: true }));

/** Puts programs of this system on a PATH of their own. */
async function provide(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const [file = expect.unreachable(`${name} is not installed`)] = programsOnPath(name, {
      PATH: process.env.PATH ?? "",
    }).filter(existsSync);
    await symlink(file, path.join(folder, name));
  }
}

const find = (resolveFrom?: string) =>
  findSandboxPrograms({ agentType: "claude", env: { PATH: folder }, ...(resolveFrom && { resolveFrom }) });

test("finds what is on the PATH, and the package beside Atomic", async () => {
  await provide("bwrap", "socat", "rg", "bash");
  const found = await find();
  expect([found.bubblewrap, found.socat, found.ripgrep]).toEqual(
    ["bwrap", "socat", "rg"].map((name) => path.join(folder, name)),
  );
  expect([found.packageFolder, found.seccompHelper, found.runtime].every(existsSync)).toBe(true);
});

test.each([
  { here: ["bwrap", "rg", "bash"], missing: 'the program "socat"', install: "socat" },
  {
    here: ["socat"],
    missing: 'the program "bwrap", the program "rg", the program "bash"',
    install: "bubblewrap ripgrep bash",
  },
])("says that $missing is missing, and what to run", async ({ here, missing, install }) => {
  await provide(...here);
  await expect(find()).rejects.toThrow(
    `The agent "claude" was not started, because its sandbox needs ${missing}. On Debian and Ubuntu run: sudo apt-get install ${install}`,
  );
});

test("says that the package is missing", async () => {
  await provide("bwrap", "socat", "rg", "bash");
  // Without Atomic's own packages a runtime comes from the PATH.
  await writeFile(path.join(folder, "node"), "#!/bin/sh\n");
  await chmod(path.join(folder, "node"), 0o755);
  await expect(find(path.join(folder, "package.json"))).rejects.toThrow(
    'The agent "claude" was not started, because its sandbox needs the npm package @anthropic-ai/sandbox-runtime. Run "atomic install sandbox", or beside Atomic: npm install @anthropic-ai/sandbox-runtime',
  );
});

test("finds the package where it was installed apart from Atomic", async () => {
  await provide("bwrap", "socat", "rg", "bash", "node");
  const { packageFolder } = await find();
  const installed = path.join(folder, "vendor/node_modules/@anthropic-ai/sandbox-runtime");
  await mkdir(path.dirname(installed), { recursive: true });
  await cp(packageFolder, installed, { recursive: true });
  const found = await findSandboxPrograms({
    agentType: "claude",
    env: { PATH: folder },
    resolveFrom: path.join(folder, "package.json"),
    sandboxDirectory: path.join(folder, "vendor"),
  });
  expect([found.packageFolder, existsSync(found.seccompHelper)]).toEqual([installed, true]);
});

test("quotes bubblewrap when the system denies namespaces", async () => {
  await provide("socat", "rg", "bash");
  await writeFile(
    path.join(folder, "bwrap"),
    "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
  );
  await chmod(path.join(folder, "bwrap"), 0o755);
  const finding = find();
  await expect(finding).rejects.toMatchObject({
    code: "SANDBOX_UNAVAILABLE",
    missing: ["namespaces of its own, which this system denies (bwrap: No permissions to create new namespace)"],
  });
  await expect(finding).rejects.toThrow("Allow them: sudo sysctl -w kernel.unprivileged_userns_clone=1");
});
