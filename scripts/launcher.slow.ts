import { expect, test } from "bun:test";
import { chmod, chown, cp, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { join } from "node:path";
import { createTemporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

const PACKAGE = "project/node_modules/@bastani/atomic";
const BUN_PACKAGE = `bun-${platform()}-${arch() === "arm64" ? "aarch64" : arch()}`;
const INSTALLED_BUN = `project/node_modules/@oven/${BUN_PACKAGE}/bin/bun`;

/** Replaces the real program: prints its environment, or does what its first argument says. */
const MAIN = `
import { dep } from "dep";
import { own } from "./own.ts";
const [action, ...rest] = process.argv.slice(2);
if (action === "exit") process.exit(Number(rest[0]));
if (action === "wait") {
  process.on("SIGTERM", () => process.exit(7));
  setInterval(() => {}, 1_000);
  console.log(process.pid);
} else {
  const loaded = action === "import" ? await import(process.cwd() + "/" + rest[0]).catch((error) => ({ error: error.message })) : undefined;
  const { PWD, FROM_DOTENV, ATOMIC_START_DIR } = process.env;
  const cache = action === "cache" ? process.env.BUN_RUNTIME_TRANSPILER_CACHE_PATH : undefined;
  console.log(JSON.stringify({ cache, args: process.argv.slice(2), cwd: process.cwd(), PWD, FROM_DOTENV, ATOMIC_START_DIR, dep, own, preloaded: globalThis.preloaded, bun: process.execPath, loaded }));
}
`;

/** Installs Atomic, with the replacement as its program, as npm does: into node_modules of a project, with a link in .bin. */
async function install(folder: TemporaryFolder): Promise<string> {
  await folder.write({
    [`${PACKAGE}/src/cli/main.ts`]: MAIN,
    [`${PACKAGE}/src/cli/own.ts`]: 'export const own = "own";\n',
    [`${PACKAGE}/package.json`]: '{ "name": "@bastani/atomic", "type": "module" }\n',
    "project/node_modules/dep/package.json": '{ "name": "dep", "type": "module", "main": "dep.js" }\n',
    "project/node_modules/dep/dep.js": 'export const dep = "dep";\n',
  });
  await cp(join(import.meta.dirname, "../bin"), join(folder.path, PACKAGE, "bin"), { recursive: true });
  await mkdir(join(folder.path, "project/node_modules/.bin"));
  const command = join(folder.path, "project/node_modules/.bin/atomic");
  await symlink("../@bastani/atomic/bin/atomic", command);
  return command;
}

/** Makes the running Bun appear at a path of the folder. */
async function linkBun(folder: TemporaryFolder, path: string): Promise<string> {
  const target = join(folder.path, path);
  await mkdir(join(target, ".."), { recursive: true });
  await symlink(process.execPath, target);
  return target;
}

/** Only the programs that the launcher needs: no Bun of this machine may be on the PATH. */
async function createBarePath(folder: TemporaryFolder): Promise<string> {
  const path = join(folder.path, "bare-path");
  await mkdir(path);
  for (const name of ["sh", "uname", "readlink", "wc"]) await symlink(Bun.which(name) ?? name, join(path, name));
  return path;
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  command: readonly string[],
  options: { readonly cwd: string; readonly env?: { readonly [name: string]: string } },
): Promise<Outcome> {
  const env = { PATH: process.env.PATH ?? "", HOME: options.cwd, ...options.env };
  const child = Bun.spawn([...command], { cwd: options.cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, out, err };
}

test("through npm's link it runs in the caller's directory, with its arguments and exit code", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  const cwd = join(folder.path, "a place with spaces");
  await mkdir(cwd);
  const { out, err, code } = await run([command, "tell", "two words", "--help", ""], { cwd });
  expect({ seen: JSON.parse(out), err, code }).toEqual({
    seen: {
      args: ["tell", "two words", "--help", ""],
      cwd,
      PWD: cwd,
      dep: "dep",
      own: "own",
      bun: process.execPath,
    },
    err: "",
    code: 0,
  });
  expect(await run([command, "exit", "3"], { cwd })).toEqual({ code: 3, out: "", err: "" });
  expect((await run(["sh", "../project/node_modules/.bin/atomic", "exit", "4"], { cwd })).code).toBe(4);
});

test("Bun caches compiled files in Atomic's own folder, if there is one, and recompiles damaged ones", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  const long = Array.from({ length: 4_000 }, (_, index) => `// A comment of some length, number ${index}\n`).join("");
  await folder.write({ [`${PACKAGE}/src/cli/own.ts`]: `${long}export const own = "own";\n` });
  const [home, other] = [join(folder.path, "home"), join(folder.path, "other")];
  await mkdir(home);
  const runAs = async (env: { readonly [name: string]: string }) => {
    const { out, err, code } = await run([command, "cache"], { cwd: folder.path, env });
    const { own, cache } = JSON.parse(out);
    return { own, cache, err, code };
  };
  const expected = { own: "own", cache: undefined, err: "", code: 0 };
  expect(await runAs({ HOME: home })).toEqual(expected);
  expect(await readdir(home)).toEqual([]);
  await mkdir(join(home, ".atomic"));
  await mkdir(other);
  const places = [
    { env: { HOME: home }, cache: join(home, ".atomic/cache/compiled") },
    { env: { HOME: home, ATOMIC_HOME: other }, cache: join(other, "cache/compiled") },
  ];
  for (const { env, cache } of places) {
    expect(await runAs(env)).toEqual(expected);
    const files = await readdir(cache);
    // Bun writes its files with the umask.
    for (const kept of [cache, join(cache, "..")]) expect((await stat(kept)).mode & 0o777).toBe(0o700);
    expect(files).not.toEqual([]);
    for (const file of files) await writeFile(join(cache, file), "damaged");
    expect(await runAs(env)).toEqual(expected);
  }
  if (process.getuid?.() === 0) {
    const foreign = join(folder.path, "foreign");
    await mkdir(foreign);
    await chown(foreign, 65_534, 65_534);
    expect(await runAs({ HOME: home, ATOMIC_HOME: foreign })).toEqual(expected);
    expect(await readdir(foreign)).toEqual([]);
  }
  const kept = { HOME: home, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  expect(await runAs(kept)).toEqual({ ...expected, cache: "0" });
  expect(await runAs({ HOME: home, ATOMIC_HOME: "other" })).toEqual(expected);
  expect(await readdir(join(folder.path))).not.toContain("cache");
});

test("signals reach the program itself, which has the process id of the launcher", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  for (const [signal, expected] of [
    ["SIGTERM", { exitCode: 7, signalCode: null }],
    ["SIGKILL", { exitCode: null, signalCode: "SIGKILL" }],
  ] as const) {
    const child = Bun.spawn([command, "wait"], { cwd: folder.path, stdin: "ignore", stdout: "pipe" });
    const { value } = await child.stdout.getReader().read();
    expect(Number(new TextDecoder().decode(value))).toBe(child.pid);
    child.kill(signal);
    await child.exited;
    expect({ exitCode: child.exitCode, signalCode: child.signalCode }).toEqual(expected);
  }
});

test("the settings of the project it is called in change nothing, except for the project's own files", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  const evil =
    'globalThis.preloaded = "evil"; export const own = "evil"; export const dep = "evil"; console.log("evil");\n';
  await folder.write({
    "work/.env": "FROM_DOTENV=evil\n",
    "work/bunfig.toml": 'preload = ["./evil.ts"]\n',
    "work/evil.ts": evil,
    "work/lib/text.ts": 'export const text = "through paths";\n',
    "work/tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./evil.ts"], "@lib/*": ["./lib/*"] } } }\n',
    "work/workflow.ts": 'export { text } from "@lib/text.ts";\n',
  });
  const cwd = join(folder.path, "work");
  const { out, err, code } = await run([command, "import", "workflow.ts"], { cwd });
  expect({ seen: JSON.parse(out), err, code }).toEqual({
    seen: {
      args: ["import", "workflow.ts"],
      cwd,
      PWD: cwd,
      dep: "dep",
      own: "own",
      bun: process.execPath,
      loaded: { text: "through paths" },
    },
    err: "",
    code: 0,
  });
});

test("a missing package in a user's file is an error, not a download", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  await folder.write({ "work/workflow.ts": 'import isOdd from "is-odd";\nexport const odd = isOdd(3);\n' });
  const cwd = join(folder.path, "work");
  const { out } = await run([command, "import", "workflow.ts"], { cwd });
  expect(JSON.parse(out).loaded).toEqual({ error: `Cannot find package 'is-odd' imported from ${cwd}/workflow.ts` });
});

test("it finds Bun in the package bun once its install script has run, in pnpm's folders, and on the PATH", async () => {
  for (const place of ["project/node_modules/bun/bin/bun.exe", `store/@oven/${BUN_PACKAGE}/bin/bun`, "bare-path/bun"]) {
    await using folder = await createTemporaryFolder();
    const command = await install(folder);
    const PATH = await createBarePath(folder);
    await mkdir(join(folder.path, "store/bun/bin"), { recursive: true });
    if (place.startsWith("store")) await symlink("../../store/bun", join(folder.path, "project/node_modules/bun"));
    await linkBun(folder, place);
    expect(await run([command, "exit", "5"], { cwd: folder.path, env: { PATH } })).toEqual({
      code: 5,
      out: "",
      err: "",
    });
  }
});

test("what the install script of the package bun has chosen runs, not a program beside it that is for another libc", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  const PATH = await createBarePath(folder);
  const other = "project/node_modules/@oven/bun-linux-x64-musl/bin/bun";
  await folder.write({ [other]: `#!/bin/sh\nexit 9\n${"#".repeat(1_100_000)}` });
  await chmod(join(folder.path, other), 0o755);
  await linkBun(folder, "project/node_modules/bun/bin/bun.exe");
  const outcome = await run([command, "exit", "5"], { cwd: folder.path, env: { PATH } });
  expect(outcome).toEqual({ code: 5, out: "", err: "" });
});

test("a Bun of the caller's project is ignored, however the PATH leads to it", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  const bare = await createBarePath(folder);
  const planted = "#!/bin/sh\necho planted\n";
  await folder.write({
    "work/package.json": "{}",
    "work/node_modules/.bin/bun": planted,
    "work/part/node_modules/.bin/bun": planted,
    "work/part/bun": planted,
  });
  for (const path of ["work/node_modules/.bin/bun", "work/part/node_modules/.bin/bun", "work/part/bun"])
    await chmod(join(folder.path, path), 0o755);
  await symlink("work/node_modules/.bin", join(folder.path, "linked-folder"));
  await mkdir(join(folder.path, "linked-file"));
  await symlink("../work/part/bun", join(folder.path, "linked-file/bun"));
  await mkdir(join(folder.path, "work/links-out"));
  await symlink(process.execPath, join(folder.path, "work/links-out/bun"));
  await mkdir(join(folder.path, "elsewhere"));
  await symlink("../work/part/bun", join(folder.path, "elsewhere/bun"));
  await symlink("../elsewhere", join(folder.path, "work/folder-out"));
  await symlink("work/part", join(folder.path, "linked-cwd"));
  const entries = [
    "work/node_modules/.bin",
    "work/part/node_modules/.bin",
    "linked-folder",
    "linked-file",
    "work/links-out",
    "work/folder-out",
  ];
  const absolute = entries.map((entry) => join(folder.path, entry));
  const hostile = [...absolute, ".", "", "node_modules/.bin", "../node_modules/.bin", bare].join(":");
  const home = join(folder.path, "home");
  for (const cwd of ["work/part", "linked-cwd"].map((path) => join(folder.path, path))) {
    for (const ATOMIC_BUN of ["", "bun"]) {
      const { code, out, err } = await run([command], {
        cwd,
        env: { PATH: hostile, HOME: home, PWD: cwd, ATOMIC_BUN },
      });
      expect({ code, out, first: err.split("\n")[0] }).toEqual({
        code: 1,
        out: "",
        first:
          ATOMIC_BUN === ""
            ? "atomic: Bun was not found."
            : "atomic: The program that ATOMIC_BUN names cannot be run: bun",
      });
    }
  }
  await linkBun(folder, "tools/bun");
  const cwd = join(folder.path, "work/part");
  const env = { PATH: `${hostile}:${join(folder.path, "tools")}`, HOME: home };
  expect(await run([command, "exit", "6"], { cwd, env })).toEqual({ code: 6, out: "", err: "" });
});

test("ATOMIC_BUN wins over an installed Bun, and an invalid one is an error", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  await folder.write({ "other-bun": '#!/bin/sh\necho "other: $*"\n' });
  const start = join(folder.path, PACKAGE, "bin/start.ts");
  const flags = "--no-env-file --config=/dev/null --no-install";
  for (const ATOMIC_BUN of ["./other-bun", join(folder.path, "other-bun")]) {
    const outcome = await run([command, "a b"], { cwd: folder.path, env: { ATOMIC_BUN } });
    expect(outcome).toEqual({ code: 0, out: `other: ${flags} ${start} a b\n`, err: "" });
  }
  expect(await run([command], { cwd: folder.path, env: { ATOMIC_BUN: "/no/bun" } })).toEqual({
    code: 1,
    out: "",
    err: [
      "atomic: The program that ATOMIC_BUN names cannot be run: /no/bun",
      "Atomic runs on Bun, and ATOMIC_BUN decides which one, before any that is installed.",
      "Set ATOMIC_BUN to the path of a Bun program, or unset it to use the installed one.\n",
    ].join("\n"),
  });
});

test("without any Bun, a placeholder included, it says what to do", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  const PATH = await createBarePath(folder);
  await folder.write({ "project/node_modules/bun/bin/bun.exe": "#!/bin/sh\necho placeholder\n" });
  const system = (await run(["uname", "-sm"], { cwd: folder.path })).out.trim();
  expect(await run([command], { cwd: folder.path, env: { PATH } })).toEqual({
    code: 1,
    out: "",
    err: [
      "atomic: Bun was not found.",
      `Atomic runs on Bun; npm did not install the one for ${system} beside Atomic, and there is none on the PATH.`,
      "One in the project that you are in does not count.",
      "Install Atomic again with its optional packages (npm install --include=optional), or set ATOMIC_BUN.\n",
    ].join("\n"),
  });
});

test("in a directory that was removed it says so", async () => {
  await using folder = await createTemporaryFolder();
  const command = await install(folder);
  await linkBun(folder, INSTALLED_BUN);
  await mkdir(join(folder.path, "gone"));
  const gone = join(folder.path, "gone");
  const { code, err } = await run(["sh", "-c", `rmdir "${gone}"; exec "${command}"`], { cwd: gone });
  const withoutWarningsOfTheShell = err.slice(err.indexOf("atomic:"));
  expect({ code, err: withoutWarningsOfTheShell }).toEqual({
    code: 1,
    err: [
      "atomic: The current directory cannot be entered.",
      "Atomic works in the directory it is called in, and this one was removed or may not be read.",
      "Change to another directory and call Atomic again.\n",
    ].join("\n"),
  });
});
