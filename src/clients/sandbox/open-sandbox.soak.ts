import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { SandboxConfig } from "../../contracts/index.ts";
import { processesWith } from "../fixtures/running-processes.ts";
import type { ClientOptions } from "../options/client-options.ts";
import { runInSandbox } from "./fixtures/run-in-sandbox.ts";
import { type StrangerService, startStranger } from "./fixtures/sandbox-bench.ts";
import { openSandbox } from "./open-sandbox.ts";

const PATH = process.env.PATH ?? "";

let root: string;
let project: string;
let stranger: StrangerService;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-wall-")));
  // Nothing in a name may be taken for a pattern, or for the end of one.
  project = path.join(root, "a [project]'s");
  mkdirSync(project);
  mkdirSync(path.join(root, "home/.ssh"), { recursive: true });
  await writeFile(path.join(root, "home/.ssh/id"), "SECRET\n");
  await writeFile(path.join(root, "outside.txt"), "outside\n");
  stranger = await startStranger();
});
afterEach(async () => {
  stranger.stop();
  await rm(root, { recursive: true, force: true });
});

function optionsFor(sandbox: SandboxConfig): ClientOptions {
  return { workingDirectory: project, env: { PATH, HOME: path.join(root, "home") }, sandbox };
}

function runInside(
  script: string,
  sandbox: SandboxConfig = {},
  { input = "", workingDirectory = project }: { readonly input?: string; readonly workingDirectory?: string } = {},
): Promise<string> {
  return runInSandbox(script, { ...optionsFor(sandbox), workingDirectory }, { input });
}

const git = (folder: string, ...args: readonly string[]): void => {
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: folder, stdio: "pipe" });
};

describe("a process in a sandbox", () => {
  test("is spoken to through its pipes, and ends with its own exit code", async () => {
    expect(await runInside('read line; echo "$line in $PWD"; exit 7', {}, { input: "Hello\n" })).toBe(
      `Hello in ${project}\nexit code 7`,
    );
  });

  test("sees the project and the system, nothing of the home folder and nothing beside the project", async () => {
    await writeFile(path.join(project, "README.md"), "A project.\n");
    const output = await runInside(`cat README.md; ls -A ~; cat ${root}/outside.txt; ls -A ${root}`);
    expect(output).toBe(`A project.\ncat: ${root}/outside.txt: No such file or directory\na [project]'s\nhome\n`);
  });

  test("writes to the project and to a temporary folder of its own; what it writes elsewhere is lost", async () => {
    expect(
      await runInside(
        'echo a > a.txt; echo b > "$TMPDIR/b.txt" && cat "$TMPDIR/b.txt"; echo c > ~/c.txt; echo d > /etc/d',
      ),
    ).toBe("b\nbash: line 2: /etc/d: Read-only file system\nexit code 1");
    expect(readdirSync(project)).toEqual(["a.txt"]);
    expect(readdirSync(path.join(root, "home"))).toEqual([".ssh"]);
  });

  test("reads and writes what the settings add, and does not read what they hide", async () => {
    mkdirSync(path.join(root, "more"));
    await writeFile(path.join(project, ".env"), "KEY=1\n");
    const output = await runInside(
      `cat ${root}/outside.txt; echo x > ${root}/more/x.txt; cat .env; echo y > y.txt; echo over`,
      {
        readRoots: [path.join(root, "outside.txt")],
        writeRoots: [path.join(root, "more")],
        denyRead: [path.join(project, ".env")],
      },
    );
    expect(output).toBe("outside\ncat: .env: Permission denied\nbash: line 2: y.txt: Read-only file system\nover\n");
    expect(await readFile(path.join(root, "more/x.txt"), "utf8")).toBe("x\n");
  });

  test("reaches the services of this machine that the settings name, no other and none by a detour", async () => {
    const other = await startStranger();
    const reach = (port: number, proxy = "") =>
      `curl -sS -m 5 ${proxy} --noproxy '${proxy === "" ? "*" : ""}' http://127.0.0.1:${port}/ || true; echo`;
    const output = await runInside(
      [
        reach(stranger.port),
        reach(other.port),
        reach(other.port, '-x "$HTTP_PROXY"'),
        "bash -c '</dev/tcp/192.0.2.1/80'",
      ].join("\n"),
      // With a host there is a proxy.
      { network: [`127.0.0.1:${stranger.port}`, "allowed.test"] },
    );
    other.stop();
    expect(output).toStartWith("stranger\ncurl: (7) ");
    expect([stranger.connections(), other.connections()]).toEqual([1, 0]);
    expect(output).toContain("Network is unreachable");
  });

  test("commits in a repository, whose hooks and settings it cannot change", async () => {
    git(project, "init", "-q");
    const output = await runInside(
      [
        "echo a > a.txt; git add a.txt; git -c user.name=A -c user.email=a@example.com commit -qm first; git log --format=%s",
        "echo evil > .git/hooks/pre-commit; git config core.hooksPath evil || echo kept",
      ].join("\n"),
    );
    expect(output).toContain("first\n");
    expect(output).toEndWith("kept\n");
    expect(existsSync(path.join(project, ".git/hooks/pre-commit"))).toBe(false);
    expect(await readFile(path.join(project, ".git/config"), "utf8")).not.toContain("evil");
  });

  test("writes to its folder, and commits, in a part of a repository whose rest it can only read", async () => {
    git(project, "init", "-q");
    const part = path.join(project, "part");
    mkdirSync(part);
    await writeFile(path.join(project, "README.md"), "The whole.\n");
    const output = await runInside(
      "cat ../README.md; echo a > a.txt; git add a.txt; git -c user.name=A -c user.email=a@example.com commit -qm first; git log --format=%s; echo b >> ../README.md || echo kept",
      {},
      { workingDirectory: part },
    );
    expect(output).toBe("The whole.\nfirst\nbash: line 2: ../README.md: Read-only file system\nkept\n");
    expect(readdirSync(part)).toEqual(["a.txt"]);
    expect(await readFile(path.join(project, "README.md"), "utf8")).toBe("The whole.\n");
  });

  test("reads what it is given around the folders that it writes to: these, and what is secret, stay as they are", async () => {
    const home = path.join(root, "home");
    const part = path.join(home, "work/app");
    mkdirSync(part, { recursive: true });
    for (const name of ["state", "kept"]) mkdirSync(path.join(home, ".local/share", name), { recursive: true });
    await writeFile(path.join(home, "notes"), "notes\n");
    await writeFile(path.join(home, "work/other"), "other\n");
    await writeFile(path.join(home, ".local/share/kept/a"), "kept\n");
    await symlink(path.join(home, ".ssh/id"), path.join(home, "link"));
    await symlink(path.join(root, "outside.txt"), path.join(home, "away"));
    await symlink(path.join(home, "notes"), path.join(home, "again"));
    const output = await runInside(
      [
        "cd; cat notes again work/other .local/share/kept/a; cat .ssh/id link away; ls -A .ssh 2>&1",
        "echo x > work/app/a.txt; echo y > .local/share/state/b.txt; cat work/app/a.txt; echo z > work/other",
      ].join("\n"),
      { readRoots: [home], writeRoots: [part, path.join(home, ".local/share/state")] },
      { workingDirectory: part },
    );
    expect(output).toContain("notes\nnotes\nother\nkept\n");
    expect(output).not.toMatch(/SECRET|outside\n/);
    expect(output).toEndWith("x\nbash: line 3: work/other: Read-only file system\nexit code 1");
    expect([readdirSync(part), readdirSync(path.join(home, ".local/share/state"))]).toEqual([["a.txt"], ["b.txt"]]);
  });

  test("commits in a worktree of a repository that lies elsewhere", async () => {
    const main = path.join(root, "main");
    mkdirSync(main);
    git(main, "init", "-q");
    git(main, "commit", "-q", "--allow-empty", "-m", "begin");
    await rm(project, { recursive: true });
    git(main, "worktree", "add", "-q", "-b", "topic", project);
    const output = await runInside(
      `echo a > a.txt; git add a.txt; git -c user.name=A -c user.email=a@example.com commit -qm second; git log --format=%s; echo evil > ${main}/.git/hooks/evil; ls ${main}`,
    );
    expect(output).toContain("second\nbegin\n");
    expect(existsSync(path.join(main, ".git/hooks/evil"))).toBe(false);
  });

  test("cannot create files where Atomic and agents look for code, and leaves nothing there", async () => {
    await runInside("mkdir -p .atomic/workflows .claude; echo x > .atomic/x; echo x > .claude/settings.json; true");
    expect(readdirSync(project)).toEqual([]);
  });

  test("opens no Unix sockets, because their services run commands for any caller", async () => {
    const output = await runInside(
      'node -e \'require("net").createServer().listen("x.sock").on("error", (error) => console.log(error.code))\'',
    );
    expect(output).toBe("EPERM\n");
  });

  test("takes daemons with it, and leaves no files of its own", async () => {
    const before = sandboxFolders();
    const mark = `mark-${crypto.randomUUID()}`;
    await runInside(`MARK=${mark} setsid nohup sleep 300 >/dev/null 2>&1 & sleep 0.2; exit 0`);
    expect(processesWith(mark)).toEqual([]);
    expect(sandboxFolders()).toEqual(before);
  });

  test("rejects a root that does not exist, and a home folder as its project", async () => {
    await expect(runInside("true", { readRoots: [path.join(root, "nothing")] })).rejects.toThrow(
      `The setting sandbox.readRoots[0] cannot be used: "${root}/nothing" does not exist.`,
    );
    const home = path.join(root, "home");
    const place = { agentType: "test", program: "/bin/sh", env: optionsFor({}).env, workingDirectory: home };
    await expect(openSandbox(optionsFor({}), place)).rejects.toThrow(
      `The setting workingDirectory cannot be used: "${home}" is the home folder, or holds it. Go to the folder of a project.`,
    );
    expect(readdirSync(home)).toEqual([".ssh"]);
  });
});

function sandboxFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => new RegExp(`^atomic-sandbox-\\w+-${process.pid}-`).test(name));
}
