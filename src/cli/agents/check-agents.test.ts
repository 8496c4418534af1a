import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AgentCheck, checkAgents } from "./check-agents.ts";

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-check-")));
  // With a node_modules in sight Bun does not look into its cache of downloads.
  await write("lonely/node_modules/.keep", "");
  for (const name of ["claude", "opencode", "copilot", "mine"]) {
    await write(`bin/${name}`, `#!/bin/sh\necho ${versionOf(name)}\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** New enough for every agent; OpenCode of another major version is rejected. */
function versionOf(name: string): string {
  return name === "opencode" ? "1.99.0" : "99.0.0";
}

/** Looks from a place without packages: only what `atomic install` has put into its folder is there. */
async function checkWithoutPeers(atomicHome: string): Promise<readonly AgentCheck[]> {
  return await checkAgents({
    config: { agents: { mine: { command: "mine" } } },
    workingDirectory: join(folder, "lonely"),
    atomicHome: join(folder, "lonely", atomicHome),
    env: { PATH: `${join(folder, "bin")}:/usr/bin:/bin` },
    resolveFrom: join(folder, "lonely", "atomic.js"),
  });
}

test("a program without the package that speaks with it is missing, and the remedy installs the package", async () => {
  const missing = (name: string, packageName: string, installed = name): AgentCheck => ({
    name,
    status: "missing",
    detail: `The agent "${name}" cannot start: the package ${packageName} was not found. Run "atomic install ${installed}".`,
    remedy: `Install it with: atomic install ${installed}`,
  });
  expect(await checkWithoutPeers("empty")).toEqual([
    missing("claude", "@anthropic-ai/claude-agent-sdk"),
    missing("opencode", "@opencode-ai/sdk"),
    missing("copilot", "@github/copilot-sdk"),
    missing("mine", "@agentclientprotocol/sdk", "acp"),
  ]);
});

test("a program that only an untrusted project has on the PATH is neither run nor missing", async () => {
  const tools = join(folder, "planted/tools");
  for (const name of ["claude", "opencode", "copilot", "mine", "gemini"]) {
    await write(`planted/tools/${name}`, `#!/bin/sh\necho >> ${join(folder, "ran")}\necho 99.0.0\n`);
    await chmod(join(tools, name), 0o755);
  }
  const check = (isProjectTrusted: boolean) =>
    checkAgents({
      config: { agents: { mine: { command: "mine" }, other: { preset: "gemini" }, gone: { command: "gone" } } },
      workingDirectory: join(folder, "planted"),
      atomicHome: join(folder, "lonely", "empty"),
      env: { PATH: `${tools}:/usr/bin:/bin` },
      resolveFrom: join(folder, "lonely", "atomic.js"),
      isProjectTrusted,
    });
  const untrusted = (name: string, program = name): AgentCheck => ({
    name,
    status: "not trusted",
    detail: `${join(tools, program)} is in this project, which is not trusted`,
    remedy: "Trust the project with: atomic trust add. Or install the program outside of it.",
  });
  expect(await check(false)).toEqual([
    ...["claude", "opencode", "copilot", "mine"].map((name) => untrusted(name)),
    untrusted("other", "gemini"),
    {
      name: "gone",
      status: "missing",
      detail: 'The agent "gone" cannot start: its program "gone" was not found. Install it, or set its command.',
      remedy: "Correct agents.gone in config.json, or install its program.",
    },
  ]);
  expect(await readdir(folder)).not.toContain("ran");
  expect((await check(true)).map(({ status }) => status)).not.toContain("not trusted");
});

test("a package that atomic install has put into its folder serves, and is not imported for that", async () => {
  const packages = {
    claude: ["@anthropic-ai/claude-agent-sdk", "."],
    opencode: ["@opencode-ai/sdk", "./v2/client"],
    copilot: ["@github/copilot-sdk", "."],
    acp: ["@agentclientprotocol/sdk", "."],
  } as const;
  for (const [agent, [name, entry]] of Object.entries(packages)) {
    const place = `lonely/home/vendor/${agent}/node_modules/${name}`;
    await write(`${place}/package.json`, JSON.stringify({ name, exports: { [entry]: "./index.js" } }));
    await write(`${place}/index.js`, 'throw new Error("imported");');
  }
  const ok = (name: string): AgentCheck => ({
    name,
    status: "ok",
    detail: `${versionOf(name)} (${join(folder, "bin", name)})`,
    startMs: expect.any(Number),
  });
  expect(await checkWithoutPeers("home")).toEqual([
    ok("claude"),
    ok("opencode"),
    ok("copilot"),
    { name: "mine", status: "ok", detail: `ACP (${join(folder, "bin", "mine")})` },
  ]);
});

test("OpenCode 2 is broken, and the remedy installs a version that works beside it", async () => {
  const program = join(folder, "second", "opencode");
  await write("second/opencode", "#!/bin/sh\necho 2.0.4\n");
  await chmod(program, 0o755);
  const checks = await checkAgents({
    config: {},
    workingDirectory: join(folder, "lonely"),
    atomicHome: join(folder, "lonely", "empty"),
    env: { PATH: `${dirname(program)}:/usr/bin:/bin` },
    resolveFrom: join(folder, "lonely", "atomic.js"),
  });
  expect(checks.find(({ name }) => name === "opencode")).toEqual({
    name: "opencode",
    status: "broken",
    detail: `The program "${program}" of the agent "opencode" has the version 2.0.4, and Atomic works with the versions from 1.18.0 up to, but not including, 2.0.0. Run "atomic install opencode", which installs one that works beside your own.`,
    remedy: "Install it with: atomic install opencode",
  });
});
