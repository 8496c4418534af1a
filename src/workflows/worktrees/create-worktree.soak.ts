import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { mkdir, readlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { Git } from "./git.ts";
import { loadRecord, saveRecord } from "./worktree-record.ts";

let bench: WorktreeBench;
beforeEach(() => {
  bench = new WorktreeBench();
});
afterEach(() => bench.cleanUp());

async function messageFrom(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

test("a worktree is at the project's commit, on its own branch, with a block of ports", async () => {
  const worktree = await bench.create();
  const { path, ports } = worktree;
  const [port = 0] = ports;
  expect(worktree).toEqual({
    path,
    workingDirectory: path,
    branch: "atomic/run1/login",
    baseCommit: bench.git("rev-parse", "main"),
    targetBranch: "main",
    ports: Array.from({ length: 10 }, (_, index) => port + index),
    environment: {
      ATOMIC_WORKTREE: path,
      PORT: String(port),
      ATOMIC_PORT: String(port),
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, index) => [`ATOMIC_PORT_${index + 1}`, String(port + index + 1)]),
      ),
    },
    warnings: [],
    home: bench.home,
    recordFile: `${path}.json`,
  });
  expect(path).toMatch(/\/atomic\/worktrees\/shop-[0-9a-f]{8}\/run1\.login$/);
  expect(readFileSync(join(path, "readme.md"), "utf8")).toBe("# Shop\n");
  expect(bench.gitIn(path, "symbolic-ref", "HEAD")).toBe("refs/heads/atomic/run1/login");
  expect(bench.git("status", "--porcelain")).toBe("");
});

test("a second call returns the same worktree with the work in it, and repairs its link to git", async () => {
  const first = await bench.create();
  bench.write("work.txt", "mine", first.path);
  rmSync(join(first.path, ".git"));
  expect(await bench.create()).toEqual(first);
  expect(bench.gitIn(first.path, "status", "--porcelain")).toBe("?? work.txt");
});

test("a deleted folder is checked out again with the commits of its branch", async () => {
  const first = await bench.create();
  bench.write("work.txt", "mine", first.path);
  const commit = bench.commit("Work", first.path);
  rmSync(first.path, { recursive: true });
  expect(await bench.create()).toEqual(first);
  expect(bench.gitIn(first.path, "rev-parse", "HEAD")).toBe(commit);
});

test("a folder that is no longer a worktree is not touched", async () => {
  const { path } = await bench.create();
  bench.git("worktree", "remove", "--force", path);
  bench.write("work.txt", "mine", path);
  expect(await messageFrom(bench.create())).toBe(
    `The worktree ${path} is no longer a worktree of its repository. Nothing was changed. Repair it, or move it away.`,
  );
  expect(readFileSync(join(path, "work.txt"), "utf8")).toBe("mine");
});

test.each([
  { title: "text with spaces and slashes", taskId: "../Fix the login!", name: /^run1\.fix-the-login-[0-9a-f]{8}$/ },
  { title: "an empty text", taskId: "", name: /^run1\.task-[0-9a-f]{8}$/ },
  { title: "a text that git rejects as a branch", taskId: "a..b.lock", name: /^run1\.a-b-lock-[0-9a-f]{8}$/ },
  { title: "a long text", taskId: "x".repeat(300), name: /^run1\.x{32}-[0-9a-f]{8}$/ },
  { title: "letters of another script", taskId: "日本", name: /^run1\.task-[0-9a-f]{8}$/ },
])("$title becomes a safe name", async ({ taskId, name }) => {
  const { path, branch } = await bench.create(taskId);
  const last = path.split("/").at(-1) ?? "";
  expect(last).toMatch(name);
  expect(branch).toBe(`atomic/${last.replace(".", "/")}`);
});

test("what a person has at the place of a worktree, or as its branch, stays", async () => {
  const { path, recordFile } = await bench.create();
  bench.git("worktree", "remove", path);
  rmSync(recordFile);
  expect(await messageFrom(bench.create())).toBe(
    'The branch atomic/run1/login exists already, and Atomic did not create it for this task. Rename it with "git branch -m", then try again.',
  );
  bench.git("branch", "-D", "atomic/run1/login");
  await mkdir(path);
  expect(await messageFrom(bench.create())).toBe(
    `The folder ${path} exists already, and Atomic did not create it for this task. Move it away, then try again.`,
  );
});

test("two repositories can share a folder of worktrees, but not the name of a task", async () => {
  const folder = join(bench.root, "shared");
  const project = join(bench.root, "other");
  bench.git("clone", "--quiet", bench.project, project);
  const { path } = await bench.create("login", { folder });
  await bench.create("logout", { folder, project });
  expect(await messageFrom(bench.create("login", { folder, project }))).toBe(
    `The folder ${path} exists already, and Atomic did not create it for this task. Move it away, then try again.`,
  );
});

test("uncommitted changes of the project are a warning, and are not in the worktree", async () => {
  bench.write("readme.md", "changed");
  for (let index = 0; index < 6; index++) bench.write(`new${index}.txt`, "x");
  const { path, warnings } = await bench.create();
  expect(warnings).toEqual([
    "the worktree starts at the last commit, without the project's uncommitted changes: readme.md, new0.txt, new1.txt, new2.txt, new3.txt and 2 more",
  ]);
  expect(readdirSync(path).sort()).toEqual([".git", "readme.md"]);
});

test("a project in a subfolder works in the same subfolder of the worktree", async () => {
  bench.write("packages/web/index.js", "1");
  bench.commit("Web");
  const project = join(bench.project, "packages/web");
  const setupCommand = "pwd > place.txt";
  const { path, workingDirectory } = await bench.create("login", { project, setupCommand });
  expect(workingDirectory).toBe(join(path, "packages/web"));
  expect(readFileSync(join(workingDirectory, "place.txt"), "utf8")).toBe(`${workingDirectory}\n`);
});

test("a worktree of a worktree goes back to the branch of that", async () => {
  const outer = await bench.create("outer");
  const inner = await bench.create("inner", { project: outer.path });
  expect({ targetBranch: inner.targetBranch, baseCommit: inner.baseCommit }).toEqual({
    targetBranch: outer.branch,
    baseCommit: outer.baseCommit,
  });
});

test("with a detached head there is no target branch", async () => {
  bench.git("checkout", "--quiet", "--detach");
  const worktree = await bench.create();
  expect("targetBranch" in worktree).toBe(false);
});

test("shallow clones and sparse checkouts have worktrees", async () => {
  bench.write("a/one.txt", "1");
  bench.write("b/two.txt", "2");
  bench.commit("More");
  const shallow = join(bench.root, "shallow");
  bench.git("clone", "--quiet", "--depth=1", `file://${bench.project}`, shallow);
  bench.gitIn(shallow, "sparse-checkout", "set", "a");
  const { path } = await bench.create("login", { project: shallow });
  expect(existsSync(join(path, "a/one.txt"))).toBe(true);
  expect(bench.gitIn(path, "status", "--porcelain")).toBe("");
});

test.each([
  {
    title: "a folder without a repository",
    prepare: (place: string) => mkdir(place),
    text: 'is in no git repository, so workers cannot have worktrees. Run "git init" there and commit the files, or run without worktrees.',
  },
  {
    title: "a repository without commits",
    prepare: (place: string) => bench.gitIn(bench.root, "init", "--quiet", place),
    text: 'is a repository without commits, and a worktree starts at one. Commit first: git add . && git commit -m "Start".',
  },
  {
    title: "a bare repository",
    prepare: (place: string) => bench.gitIn(bench.root, "init", "--quiet", "--bare", place),
    text: 'has no working tree: it is a bare repository, or a git folder. Create one with "git worktree add", and start there.',
  },
])("$title is an error that says what to do", async ({ prepare, text }) => {
  const project = join(bench.root, "other");
  await prepare(project);
  expect(await messageFrom(bench.create("login", { project }))).toBe(`${project} ${text}`);
});

test("a missing git, and one that is too old, are errors", async () => {
  const folder = join(bench.root, "bin");
  const env = { ...bench.env, PATH: folder };
  expect(await messageFrom(bench.create("login", { env }))).toBe(
    "Worktrees need git, and none is on the PATH. Install git 2.34 or newer, or run without worktrees.",
  );
  await mkdir(folder);
  await writeFile(join(folder, "git"), '#!/bin/sh\necho "git version 2.33.8"\n', { mode: 0o755 });
  expect(await messageFrom(bench.create("login", { env }))).toBe(
    `${join(folder, "git")} is git 2.33.8, and worktrees need 2.34 or newer. Update git, or run without worktrees.`,
  );
});

test("the oldest git that is supported lists worktrees without zero bytes", async () => {
  const folder = join(bench.root, "bin");
  await mkdir(folder);
  const script = `#!/bin/sh\n[ "$1" = --version ] && exec echo "git version 2.34.1"\nexec '${Bun.which("git")}' "$@"\n`;
  await writeFile(join(folder, "git"), script, { mode: 0o755 });
  const git = await Git.open({ env: { ...bench.env, PATH: `${folder}:${bench.env.PATH}` } });
  const { path } = await bench.create();
  bench.git("worktree", "lock", path);
  expect(await git.listRegistered(bench.project)).toEqual([
    { path: bench.project, branch: "refs/heads/main", isBare: false, isLocked: false },
    { path, branch: "refs/heads/atomic/run1/login", isBare: false, isLocked: true },
  ]);
});

test("worktrees can be on another file system, and inside the project", async () => {
  const elsewhere = mkdtempSync(existsSync("/dev/shm") ? "/dev/shm/atomic-worktrees-" : join(tmpdir(), "atomic-"));
  try {
    bench.write(".gitignore", ".env\n.worktrees/\n");
    bench.write(".worktreeinclude", ".env\n.worktrees/\n");
    bench.commit("Ignore");
    bench.write(".env", "KEY=1");
    const folders = [elsewhere, join(bench.project, ".worktrees"), join(bench.project, ".worktrees")];
    for (const [index, folder] of folders.entries()) {
      const { path, warnings } = await bench.create(`task${index}`, { folder });
      expect({ path, warnings, files: readdirSync(path).sort() }).toEqual({
        path: join(folder, `run1.task${index}`),
        warnings: [],
        files: [".env", ".git", ".gitignore", ".worktreeinclude", "readme.md"],
      });
    }
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

test("hooks of the repository do not run when a worktree is created, nor does git of a surrounding hook interfere", async () => {
  bench.write(".git/hooks/post-checkout", `#!/bin/sh\n: > '${bench.root}/ran'\n`);
  await Bun.spawn(["chmod", "+x", join(bench.project, ".git/hooks/post-checkout")]).exited;
  const { path } = await bench.create("login", {
    env: { ...bench.env, GIT_DIR: "/nowhere", GIT_INDEX_FILE: "/nowhere" },
  });
  expect([existsSync(join(path, "readme.md")), existsSync(join(bench.root, "ran"))]).toEqual([true, false]);
});

test("the set-up command has the worktree's variables; its failure is one error, and it runs again", async () => {
  const failing = "echo port $PORT; yes no | head -n 90000 >&2; echo broken >&2; exit 3";
  const message = await messageFrom(bench.create("login", { setupCommand: failing }));
  expect(message).toStartWith(`The set-up command "${failing}" failed in ${bench.home}/worktrees/`);
  expect(message).toContain("with exit code 3. Correct it, then try again. The end of its output:\n");
  expect(message).toEndWith("\nno\nbroken");
  expect(message.length).toBeLessThan(5_000);
  const { path, ports } = await bench.create("login", {
    setupCommand: "echo $PORT $ATOMIC_PORT_9 $ATOMIC_WORKTREE > env.txt",
  });
  expect(readFileSync(join(path, "env.txt"), "utf8")).toBe(`${ports[0]} ${ports[9]} ${path}\n`);
});

test("an abort stops the set-up command", async () => {
  const controller = new AbortController();
  const flag = join(bench.root, "started");
  const creating = bench.create("login", { setupCommand: `: > ${flag}; sleep 60`, signal: controller.signal });
  while (!existsSync(flag)) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error("enough"));
  expect(await messageFrom(creating)).toBe("enough");
});

test("submodules are checked out from the project's own, without network", async () => {
  const library = join(bench.root, "library");
  bench.gitIn(bench.root, "init", "--quiet", library);
  bench.write("lib.txt", "1", library);
  bench.commit("Library", library);
  bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
  bench.commit("Add library");
  rmSync(library, { recursive: true });
  const { path, warnings, recordFile } = await bench.create();
  expect(warnings).toEqual([]);
  expect(readFileSync(join(path, "lib/lib.txt"), "utf8")).toBe("1");
  expect(bench.gitIn(join(path, "lib"), "config", "remote.origin.url")).toBe(library);
  // A call that was interrupted in the submodule's checkout.
  await saveRecord(recordFile, { ...(await loadRecord(recordFile)), state: "creating" });
  rmSync(join(path, "lib/lib.txt"));
  expect((await bench.create()).warnings).toEqual([]);
  expect(readFileSync(join(path, "lib/lib.txt"), "utf8")).toBe("1");
  bench.git("submodule", "--quiet", "deinit", "--force", "lib");
  const { path: other, warnings: none } = await bench.create("other");
  expect([none, readdirSync(join(other, "lib"))]).toEqual([[], []]);
});

test("a submodule whose commit the project lacks is a warning", async () => {
  const library = join(bench.root, "library");
  bench.gitIn(bench.root, "init", "--quiet", library);
  bench.write("lib.txt", "1", library);
  bench.commit("Library", library);
  bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
  bench.git("update-index", "--cacheinfo", `160000,${"1".repeat(40)},lib`);
  bench.git("commit", "--quiet", "--message", "Lost");
  const { warnings } = await bench.create();
  expect(warnings[1]).toStartWith("the submodule lib is empty in the worktree: ");
  expect(warnings[1]).toEndWith(". To fill it: git submodule update --init -- lib");
});

test("four HTTP servers in four worktrees run side by side on their PORT", async () => {
  const worktrees = await Promise.all(["a", "b", "c", "d"].map((task) => bench.create(task)));
  const servers: Server[] = [];
  try {
    const answers = worktrees.map(async ({ environment, branch }) => {
      const server = createServer((_request, response) => response.end(branch));
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(Number(environment.PORT), "127.0.0.1", resolve);
      });
      return await (await fetch(`http://127.0.0.1:${environment.PORT}/`)).text();
    });
    expect(await Promise.all(answers)).toEqual(worktrees.map(({ branch }) => branch));
    const later = await bench.create("e");
    const all = [...worktrees, later].flatMap(({ ports }) => ports);
    expect(new Set(all).size).toBe(50);
  } finally {
    for (const server of servers) server.close();
  }
});

test("a worktree that was half made is completed", async () => {
  bench.write(".gitignore", ".env\n");
  bench.write(".worktreeinclude", ".env\n");
  bench.commit("Ignore");
  bench.write(".env", "KEY=1");
  const first = await bench.create();
  await saveRecord(first.recordFile, { ...(await loadRecord(first.recordFile)), state: "creating" });
  bench.write(".env", "KE", first.path);
  rmSync(join(first.path, "readme.md"));
  expect(await bench.create()).toEqual(first);
  expect(readFileSync(join(first.path, ".env"), "utf8")).toBe("KEY=1");
  expect(bench.gitIn(first.path, "status", "--porcelain")).toBe("");
});

test("ignored files that .worktreeinclude names are copied, others and tracked ones are not", async () => {
  bench.write(".gitignore", "*.env\nsecrets/\nbuild/\n");
  bench.write(".worktreeinclude", "# local settings\n*.env\n!test.env\nsecrets/\nreadme.md\nloose.txt\n");
  bench.commit("Ignore");
  for (const file of ["a.env", "test.env", "sub/b.env", "secrets/key", "build/out.js", "loose.txt"])
    bench.write(file, file);
  const { path } = await bench.create();
  const found = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".git")
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
  expect(found.sort()).toEqual([".gitignore", ".worktreeinclude", "a.env", "readme.md", "secrets/key", "sub/b.env"]);
});

test("a file that only an uncommitted .gitignore ignores is not copied, because the worker could commit it", async () => {
  bench.write(".worktreeinclude", ".env\n");
  bench.commit("Include");
  bench.write(".gitignore", ".env\n");
  bench.write(".env", "KEY=1");
  const { path } = await bench.create();
  expect(existsSync(join(path, ".env"))).toBe(false);
});

test("no link out of the project or of the worktree is followed", async () => {
  const outside = join(bench.root, "outside");
  await mkdir(outside);
  bench.write("secret", "secret", outside);
  bench.write(".gitignore", "*.env\n");
  bench.write(".worktreeinclude", "*.env\n");
  symlinkSync(outside, join(bench.project, "config"));
  bench.commit("A link");
  rmSync(join(bench.project, "config"));
  bench.write("config/a.env", "A");
  symlinkSync("../outside/secret", join(bench.project, "out.env"));
  symlinkSync("config/a.env", join(bench.project, "in.env"));
  const { path, warnings } = await bench.create();
  expect(warnings.slice(1)).toEqual([
    "config/a.env is not in the worktree: a folder of it is a link there",
    "out.env is not in the worktree: it is a link out of the project",
  ]);
  expect(await readlink(join(path, "in.env"))).toBe("config/a.env");
  expect(readdirSync(outside)).toEqual(["secret"]);
});

test(".worktreelink shares the entries of a folder; the folder itself stays ignored", async () => {
  bench.write(".gitignore", "node_modules/\n");
  bench.write(".worktreelink", "node_modules/\n");
  bench.write(".worktreeinclude", "node_modules/\n");
  bench.commit("Link");
  bench.write("node_modules/react/index.js", "1");
  const { path } = await bench.create();
  expect(lstatSync(join(path, "node_modules")).isDirectory()).toBe(true);
  expect(await readlink(join(path, "node_modules/react"))).toBe(join(bench.project, "node_modules/react"));
  expect(bench.gitIn(path, "status", "--porcelain")).toBe("");
});
