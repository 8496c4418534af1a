import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ATOMIC } from "./fixtures/atomic-process.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-places-")));
  for (const folder of ["home/.atomic", "home/.claude", "home/project/.git", "tmp"])
    await mkdir(join(root, folder), { recursive: true });
  await symlink(ATOMIC, join(root, "atomic"));
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

interface Result {
  readonly code: number;
  readonly out: string;
}

interface Place {
  readonly cwd?: string;
  /** `undefined` leaves it unset. */
  readonly home?: string | undefined;
  /** What the shell does before it becomes Atomic. */
  readonly before?: string;
}

/** Calls the program as a shell does, in a folder below the root; a call that hangs is ended and fails. */
async function atomic(args: readonly string[], place: Place = {}): Promise<Result> {
  const { cwd = "home/project", before = ":" } = place;
  const home = "home" in place ? place.home : `${root}/home`;
  const environment = {
    PATH: process.env.PATH ?? "",
    TMPDIR: join(root, "tmp"),
    ATOMIC_HOME: join(root, "home/.atomic"),
  };
  const child = Bun.spawn(
    ["sh", "-c", `cd "$0" && ${before} && exec "$@"`, join(root, cwd), `${root}/atomic`, ...args],
    {
      cwd: root,
      env: home === undefined ? environment : { ...environment, HOME: home },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 60_000,
    },
  );
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, out: `${out}${err.slice(Math.max(0, err.search(/^(?:error|atomic):/m)))}`.replaceAll(root, "<root>") };
}

const HELLO = ["-p", "hello", "--agent", "scripted"];
const ANSWER = {
  code: 0,
  // The first call with --trust says what it trusts.
  out: expect.stringMatching(/^(?:Trusted \S+\.\n)?Scripted answer to: hello\n(?:Trusted \S+\.\n)?$/),
};

async function trusted(): Promise<readonly string[]> {
  const text = await readFile(join(root, "home/.atomic/trusted-projects.json"), "utf8").catch(() => '{"projects":[]}');
  return JSON.parse(text).projects.map(({ path }: { readonly path: string }) => path.replace(root, "<root>"));
}

test("settings that are a pipe, a device, a folder or too large are an error that names them, not a wait", async () => {
  const plants = {
    pipe: (path: string) => execFileSync("mkfifo", [path]),
    device: (path: string) => symlink("/dev/zero", path),
    folder: (path: string) => mkdir(path),
    large: (path: string) => writeFile(path, " ".repeat(1_048_577)),
  };
  await mkdir(join(root, "home/project/.atomic"));
  expect((await atomic([...HELLO, "--trust"])).code).toBe(0);
  for (const [kind, plant] of Object.entries(plants)) {
    for (const place of ["home/.atomic/config.json", "home/project/.atomic/config.json"]) {
      await plant(join(root, place));
      const reason = kind === "large" ? "is larger than 1048576 bytes" : "is not a regular file";
      const lines = [`The settings in <root>/${place} cannot be used:`, `  - It ${reason}.`, "Correct the file."];
      expect(await atomic(HELLO)).toEqual({
        code: 2,
        out: `error: ${[...lines, "(CONFIG_INVALID)"].join("\n       ")}\n`,
      });
      await rm(join(root, place), { recursive: true });
    }
  }
  expect(await atomic(HELLO)).toEqual(ANSWER);
});

test("a project is the same one through every link to it, and to the home", async () => {
  await symlink("home", join(root, "home-link"));
  await symlink("home/project", join(root, "project-link"));
  await mkdir(join(root, "home/.git"));
  await writeFile(join(root, "home/.claude/settings.json"), "{}");
  for (const cwd of ["project-link", "home-link/project", "home/project"]) {
    for (const home of ["home", "home/", "home-link", "home-link/", "home/../home"]) {
      expect(await atomic([...HELLO, "--trust"], { cwd, home: `${root}/${home}` })).toEqual(ANSWER);
    }
  }
  expect(await trusted()).toEqual(["<root>/home/project"]);
  // What is below the home, and no project, does not make the home one.
  await mkdir(join(root, "home/plain"));
  await atomic([...HELLO, "--trust"], { cwd: "home-link/plain", home: `${root}/home-link/` });
  expect(await trusted()).toEqual(["<root>/home/project", "<root>/home/plain"]);
});

test("trust belongs to the real folder: a link that is turned, and a folder that is moved, take none along", async () => {
  const leftOut = "Not loaded, because this project is not trusted: .atomic/config.json. Trust it with --trust.\n";
  for (const name of ["good", "evil"]) {
    await mkdir(join(root, name, ".atomic"), { recursive: true });
    await writeFile(join(root, name, ".atomic/config.json"), "{}");
  }
  await symlink("good", join(root, "link"));
  expect(await atomic([...HELLO, "--trust"], { cwd: "link" })).toEqual(ANSWER);
  expect(await atomic(HELLO, { cwd: "link" })).toEqual(ANSWER);
  await rm(join(root, "link"));
  await symlink("evil", join(root, "link"));
  expect((await atomic(HELLO, { cwd: "link" })).out).toContain(leftOut);
  await rename(join(root, "good"), join(root, "moved"));
  expect((await atomic(HELLO, { cwd: "moved" })).out).toContain(leftOut);
  await symlink("evil", join(root, "good"));
  expect((await atomic(HELLO, { cwd: "good" })).out).toContain(leftOut);
});

test("trust in a folder does not cover a project that is unpacked in it later", async () => {
  const project = async (cwd: string): Promise<string | undefined> =>
    /^project .*$/m.exec((await atomic(["doctor"], { cwd })).out)?.[0].replace(/ +/g, " ");
  expect(await atomic([...HELLO, "--trust"])).toEqual(ANSWER);
  for (const folder of ["unpacked/.claude", "plain"])
    await mkdir(join(root, "home/project", folder), { recursive: true });
  await writeFile(join(root, "home/project/unpacked/.claude/settings.json"), "{}");
  expect(await project("home/project/plain")).toBe("project ok trusted, 0 files loaded");
  expect(await project("home/project/unpacked")).toBe("project not trusted 1 file left out");
});

test("the home can be trusted only by itself, and its settings stay the user's", async () => {
  const agents = { mine: { command: "mine", ungated: true } };
  await writeFile(join(root, "home/.atomic/config.json"), JSON.stringify({ agents }));
  expect(await atomic([...HELLO, "--trust"], { cwd: "home" })).toEqual(ANSWER);
  expect(await trusted()).toEqual(["<root>/home"]);
  expect((await atomic(["doctor"], { cwd: "home/project" })).out).toContain("not trusted, 0 files left out");
});

test("the root of the file system is not trusted", async () => {
  expect(await atomic([...HELLO, "--trust"], { before: "cd /" })).toEqual({
    code: 2,
    out: [
      "error: The folder / cannot be trusted: it holds the whole file system.",
      "       Change to the folder of a project, and call again there.",
      "       (PROJECT_TOO_WIDE)",
      "",
    ].join("\n"),
  });
  expect(await atomic(HELLO, { before: "cd /" })).toEqual(ANSWER);
});

const GONE = {
  code: 1,
  out: [
    "atomic: The current directory cannot be entered.",
    "Atomic works in the directory it is called in, and this one was removed or may not be read.",
    "Change to another directory and call Atomic again.\n",
  ].join("\n"),
};

test("a folder that was removed cannot be worked in, one that was moved meanwhile can", async () => {
  await mkdir(join(root, "home/gone"));
  expect(await atomic(HELLO, { cwd: "home/gone", before: "rmdir ../gone" })).toEqual(GONE);
  await mkdir(join(root, "home/old"));
  const before = "mv ../old ../new && ln -s old ../old";
  expect(await atomic([...HELLO, "--trust"], { cwd: "home/old", before })).toEqual(ANSWER);
  expect(await trusted()).toEqual(["<root>/home/new"]);
});

test("a HOME that is no absolute path is an error; without one the system knows it; / and a missing one are homes", async () => {
  for (const home of ["home", "./home", "~"]) {
    expect(await atomic(HELLO, { home })).toEqual({
      code: 2,
      out: [
        `error: The variable HOME is "${home}", which is not an absolute path, so Atomic cannot tell your own files from a project's.`,
        "       Set HOME to your home folder.",
        "       (HOME_INVALID)",
        "",
      ].join("\n"),
    });
  }
  for (const home of [undefined, "", "/", "//", "/nowhere/at/all"])
    expect(await atomic(HELLO, { home })).toEqual(ANSWER);
});

test.each([
  { args: [...HELLO, "--trust"], code: "TRUST_NOT_SAVED", says: "The list of trusted projects, " },
  { args: ["run", "ralph", "x", "--agent", "scripted"], code: "SESSIONS_UNWRITABLE", says: "The folder of runs, " },
])("a home that cannot be made is an error that says so: $code", async ({ args, code, says }) => {
  const result = await atomic(args, { before: "export ATOMIC_HOME=/proc/none" });
  expect(result.code).toBe(2);
  expect(result.out.replaceAll("\n      ", "")).toStartWith(`error: ${says}/proc/none/`);
  expect(result.out).toContain("cannot be");
  expect(result.out).toEndWith(`set ATOMIC_HOME to another one.\n       (${code})\n`);
});
