import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { VENDOR_PACKAGES } from "../install/vendor-packages.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** Stands for npm, whose registry tests may not reach: makes the packages that package.json names. */
const NPM = `#!${process.execPath}
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
if (!process.argv.includes("--ignore-scripts")) throw new Error("scripts would run");
for (const [name, version] of Object.entries(dependencies)) {
  mkdirSync("node_modules/" + name, { recursive: true });
  writeFileSync("node_modules/" + name + "/package.json", JSON.stringify({ name, version }));
}
`;

async function install(args: readonly string[], npm: string) {
  await environment.write({ "bin/npm": npm });
  await chmod(join(environment.root, "bin", "npm"), 0o755);
  return environment.start(["install", ...args], { env: { PATH: `${join(environment.root, "bin")}:/usr/bin:/bin` } });
}

async function run(args: readonly string[], npm = NPM) {
  return await (await install(args, npm)).ended;
}

const FOLDER = "<root>/home/.atomic/vendor/copilot";

const SIGN_IN =
  'Sign in with: a token in COPILOT_GITHUB_TOKEN, or "copilot login" of GitHub\'s own program (npm install -g @github/copilot)\n';

test("the pinned packages are installed in a folder of their own, once", async () => {
  const first = await run(["copilot"]);
  expect({ ...first, stdout: environment.normalise(first.stdout) }).toEqual({
    exitCode: 0,
    stdout: `copilot is installed in ${FOLDER}\n${SIGN_IN}`,
    stderr: "Installing copilot (about 120 MB) …\n",
  });
  const manifest = JSON.parse(await environment.read("home/.atomic/vendor/copilot/package.json"));
  expect(manifest).toEqual({ private: true, dependencies: VENDOR_PACKAGES.copilot?.packages });
  const second = await run(["copilot"], "#!/bin/sh\nexit 1\n");
  expect({ ...second, stdout: environment.normalise(second.stdout) }).toEqual({
    exitCode: 0,
    stdout: `copilot was installed already in ${FOLDER}\n${SIGN_IN}`,
    stderr: "",
  });
  const forced = await run(["copilot", "--force", "--json"]);
  expect(JSON.parse(environment.normalise(forced.stdout))).toEqual({
    agent: "copilot",
    status: "installed",
    folder: FOLDER,
    packages: VENDOR_PACKAGES.copilot?.packages,
  });
  expect(await readdir(join(environment.atomicHome, "vendor"))).toEqual(["copilot"]);
});

test.each(["claude", "opencode"])("the command to sign in to %s names a program that can be run", async (agent) => {
  const { exitCode, stdout } = await run([agent]);
  expect(exitCode).toBe(0);
  const [, program = "", args] = /^Sign in with: (\S+) (.*)$/m.exec(stdout) ?? [];
  expect({ isProgram: Bun.which(program) === program, isAbsolute: isAbsolute(program), args }).toEqual({
    isProgram: true,
    isAbsolute: true,
    args: "auth login",
  });
});

test("the sandbox is installed with the programs of the system named that it still needs", async () => {
  const bin = join(environment.root, "bin");
  await environment.write({ "bin/npm": NPM });
  await chmod(join(bin, "npm"), 0o755);
  for (const name of ["sh", "cat", "node", "socat", "bash"]) {
    await Bun.$`ln -s ${Bun.which(name) ?? expect.unreachable(name)} ${join(bin, name)}`.quiet();
  }
  const call = async (...args: readonly string[]) =>
    (await environment.start(["install", "sandbox", ...args], { env: { PATH: bin } })).ended;
  const { exitCode, stdout, stderr } = await call();
  const folder = "<root>/home/.atomic/vendor/sandbox";
  const [missing, remedy] = [
    ['the program "bwrap"', 'the program "rg"'],
    "On Debian and Ubuntu run: sudo apt-get install bubblewrap ripgrep",
  ];
  expect({ exitCode, stderr, stdout: environment.normalise(stdout) }).toEqual({
    exitCode: 0,
    stderr: "Installing sandbox (about 25 MB) …\n",
    stdout: `sandbox is installed in ${folder}\nIt needs ${missing.join(", ")}. ${remedy}\n`,
  });
  expect(JSON.parse(environment.normalise((await call("--json")).stdout))).toEqual({
    agent: "sandbox",
    status: "present",
    folder,
    packages: VENDOR_PACKAGES.sandbox?.packages,
    missing,
    remedy,
  });
});

test("where all is there, the sandbox is said to be ready", async () => {
  const { stdout } = await run(["sandbox"]);
  expect(environment.normalise(stdout)).toBe(
    "sandbox is installed in <root>/home/.atomic/vendor/sandbox\nAgents can run in it.\n",
  );
});

test("a failure says what npm said, and leaves what was there", async () => {
  await run(["copilot"]);
  const { exitCode, stderr } = await run(["copilot", "--force"], "#!/bin/sh\necho 'npm error code E404' >&2\nexit 7\n");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: [
      "Installing copilot (about 120 MB) …",
      'error: The agent "copilot" could not be installed: npm ended with exit code 7. npm said:',
      "         npm error code E404",
      "       Nothing was changed. Check the network and npm's settings, then try again.",
      "       (INSTALL_FAILED)",
      "",
    ].join("\n"),
  });
  expect(await readdir(join(environment.atomicHome, "vendor"))).toEqual(["copilot"]);
  expect((await run(["copilot"])).stdout).toStartWith("copilot was installed already");
});

test("a package of another version than the pinned one is rejected", async () => {
  const { exitCode, stderr } = await run(["copilot"], NPM.replace("{ name, version }", '{ name, version: "0.0.1" }'));
  expect(exitCode).toBe(1);
  expect(stderr).toContain("npm ended with success, but @github/copilot-sdk is 0.0.1 instead of 1.0.14.");
});

test("Ctrl+C ends npm and leaves no files", async () => {
  const call = await install(["copilot"], "#!/bin/sh\nsleep 60\n");
  await call.stderr.waitFor("Installing");
  call.signal();
  expect(await call.ended).toEqual({
    exitCode: 130,
    stdout: "",
    stderr: "Installing copilot (about 120 MB) …\nCancelled; nothing was changed.\n",
  });
  expect(await readdir(join(environment.atomicHome, "vendor"))).toEqual([]);
});

test.each([
  { name: "copilt", hint: '       Did you mean "copilot"?\n' },
  { name: "constructor", hint: "" },
])("an unknown name is rejected, with the nearest one if there is one: $name", async ({ name, hint }) => {
  expect(await environment.atomic("install", name)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: There is no "${name}" to install.\n       Possible: claude, opencode, copilot, acp, sandbox.\n${hint}       (USAGE)\n`,
  });
});

test("what is installed is what this repository is tested with", async () => {
  for (const { packages } of Object.values(VENDOR_PACKAGES)) {
    for (const [name, version] of Object.entries(packages)) {
      const manifest = await Bun.file(join(import.meta.dir, "../../../node_modules", name, "package.json")).json();
      expect({ name, version: manifest.version }).toEqual({ name, version });
    }
  }
});
