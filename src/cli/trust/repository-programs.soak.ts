import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFile, mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { GitSettingsUnknownError, overruleRepositoryPrograms } from "./repository-programs.ts";
import { untrustedEnvironment } from "./untrusted-environment.ts";

let root: string;
let project: string;
let own: Record<string, string>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-git-")));
  project = join(root, "project");
  for (const folder of ["home", "marks", "project"]) await mkdir(join(root, folder));
  const searchPath = `${join(root, "bin")}:${process.env.PATH ?? ""}`;
  own = { PATH: searchPath, HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" };
  await writeFile(join(root, "home/.gitconfig"), "[user]\n\tname = x\n\temail = x@x\n");
  await git(["init", "-q", "-b", "main"], own);
  await writeFile(join(project, "a.txt"), "one\n");
  await writeFile(join(project, ".gitattributes"), "*.txt filter=evil diff=evil merge=evil\n");
  await git(["add", "."], own);
  await git(["commit", "-qm", "first"], own);
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** What git prints; it may fail. */
async function git(args: readonly string[], env: Readonly<Record<string, string>>, cwd = project): Promise<string> {
  const stdin = new Blob(["protocol=http\nhost=127.0.0.1\n\n"]);
  const child = Bun.spawn(["git", ...args], { cwd, env, stdin, stdout: "pipe", stderr: "ignore", timeout: 60_000 });
  const [text] = await Promise.all([child.stdout.text(), child.exited]);
  return text;
}

/** The environment of an agent that works there. */
async function untrusted(workingDirectory = project): Promise<Record<string, string>> {
  const place = { workingDirectory, projectDirectory: project };
  const env = untrustedEnvironment(own, place);
  const gitSettings = await overruleRepositoryPrograms({ workingDirectory, env });
  return untrustedEnvironment(own, { ...place, gitSettings });
}

const mark = (): string => `: > '${join(root, "marks/ran")}'`;

async function hasRun(): Promise<boolean> {
  const names = await readdir(join(root, "marks"));
  for (const name of names) await rm(join(root, "marks", name));
  return names.length > 0;
}

interface Attack {
  readonly title: string;
  /** `MARK` is a command that leaves a mark. */
  readonly config: string;
  readonly commands: readonly (readonly string[])[];
}

const DIFF = ["diff"];

/** A partial clone, which fetches what it misses as soon as it reads. */
const PARTIAL =
  '[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true';
const PARTIAL_ATTACKS = [
  { title: "the other end of its remote", remote: "url = /\n\tuploadpack = MARK-PROGRAM" },
  { title: "a transport whose name is a path in the project", remote: "url = /\n\tvcs = x/evil" },
  { title: "an alias by the name of a transport", remote: "url = x::y\n[alias]\n\tremote-x = !MARK" },
  {
    title: "a transport by any program",
    remote: "url = ext::MARK-PROGRAM\n[protocol]\n\tallow = always",
  },
];
const ATTACKS: readonly Attack[] = [
  { title: "a file monitor", config: "[core]\n\tfsmonitor = MARK; false", commands: [["status"]] },
  { title: "a file monitor in one line", config: '[core] fsmonitor = "MARK; false"', commands: [["status"]] },
  {
    title: "a clean filter",
    config: '[filter "evil"]\n\tclean = MARK; cat',
    commands: [["add", "."], DIFF],
  },
  {
    title: "a filter that is required",
    config: '[filter "evil"]\n\tclean = MARK; cat\n\tsmudge = MARK; cat\n\trequired = true',
    commands: [
      ["add", "."],
      ["checkout", "HEAD", "--", "a.txt"],
    ],
  },
  { title: "a filter's process", config: '[filter "evil"]\n\tprocess = MARK; false', commands: [["add", "."]] },
  { title: "text of a binary file", config: '[diff "evil"]\n\ttextconv = MARK; cat', commands: [DIFF] },
  { title: "a diff of a kind of file", config: '[diff "evil"]\n\tcommand = MARK; true', commands: [DIFF] },
  { title: "an external diff", config: "[diff]\n\texternal = MARK; true", commands: [DIFF] },
  { title: "an alias", config: '[alias]\n\tst = "!MARK"', commands: [["st"]] },
  { title: "an editor", config: "[core]\n\teditor = MARK; true", commands: [["commit", "-a"]] },
  {
    title: "an editor of sequences",
    config: "[sequence]\n\teditor = MARK; true",
    commands: [["rebase", "-i", "--root"]],
  },
  {
    title: "a transport by ssh",
    config: "[core]\n\tsshCommand = MARK; false",
    commands: [["fetch", "ssh://127.0.0.1:1/x"]],
  },
  { title: "a proxy", config: "[core]\n\tgitProxy = MARK-PROGRAM", commands: [["fetch", "git://127.0.0.1:1/x"]] },
  {
    title: "a transport by any program",
    config: '[protocol "ext"]\n\tallow = always\n[remote "origin"]\n\turl = ext::MARK-PROGRAM',
    commands: [["fetch", "origin"]],
  },
  {
    title: "a transport by any program, which a setting for all transports allows",
    config: '[protocol]\n\tallow = always\n[remote "origin"]\n\turl = ext::MARK-PROGRAM',
    commands: [["fetch", "origin"]],
  },
  {
    title: "a transport whose name is a path in the project",
    config: '[remote "origin"]\n\turl = /\n\tvcs = x/evil',
    commands: [["fetch", "origin"]],
  },
  {
    title: "the other end of a remote",
    config: '[remote "origin"]\n\turl = /\n\tuploadpack = MARK-PROGRAM\n\treceivepack = MARK-PROGRAM',
    commands: [
      ["fetch", "origin"],
      ["push", "origin", "main"],
    ],
  },
  {
    title: "the other end of a remote over ssh",
    config: '[remote "origin"]\n\turl = ssh://localhost/\n\tuploadpack = MARK-PROGRAM',
    commands: [["fetch", "origin"]],
  },
  {
    title: "a program that signs",
    config: "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = MARK-PROGRAM",
    commands: [["commit", "-aqm", "x"]],
  },
  {
    title: "a program that finds the key",
    config: '[commit]\n\tgpgSign = true\n[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tdefaultKeyCommand = MARK-PROGRAM',
    commands: [["commit", "-aqm", "x"]],
  },
  { title: "a merge", config: '[merge "evil"]\n\tdriver = MARK; false', commands: [["merge", "-q", "other"]] },
  {
    title: "a helper for passwords",
    config: "[credential]\n\thelper = !MARK;",
    commands: [["credential", "fill"]],
  },
  {
    title: "an archive",
    config: '[tar "evil"]\n\tcommand = MARK; cat',
    commands: [["archive", "--format=evil", "HEAD"]],
  },
  { title: "an included file", config: "[include]\n\tpath = ROOT/included", commands: [DIFF] },
  {
    title: "a file included by a condition",
    config: `[includeIf "gitdir:**"]\n\tpath = ROOT/included`,
    commands: [DIFF],
  },
];

async function plant({ config }: Attack): Promise<void> {
  const program = join(root, "mark.sh");
  await writeFile(program, `#!/bin/sh\n${mark()}\nexit 1\n`, { mode: 0o755 });
  const planted = (text: string): string =>
    text.replaceAll("ROOT", root).replaceAll("MARK-PROGRAM", program).replaceAll("MARK", `sh ${program}`);
  await git(["checkout", "-qb", "other"], own);
  await writeFile(join(project, "a.txt"), "other\n");
  await git(["commit", "-aqm", "other"], own);
  await git(["checkout", "-q", "main"], own);
  await writeFile(join(project, "a.txt"), "main\n");
  await git(["commit", "-aqm", "main"], own);
  await appendFile(join(project, ".git/config"), `${planted(config).replaceAll(/= (sh .+)$/gm, '= "$1"')}\n`);
  await mkdir(join(project, "git-remote-x"), { recursive: true });
  await writeFile(join(project, "git-remote-x/evil"), `#!/bin/sh\n${mark()}\nexit 1\n`, { mode: 0o755 });
  // What stands for ssh runs what it is to run at the other end.
  await mkdir(join(root, "bin"), { recursive: true });
  await writeFile(join(root, "bin/ssh"), '#!/bin/sh\nfor last; do :; done\nsh -c "$last"\n', { mode: 0o755 });
  await writeFile(join(root, "included"), `${planted("[diff]\n\texternal = ")}"sh ${program}; true"\n`);
}

test.each([...ATTACKS])("in an untrusted repository git does not run $title", async (attack) => {
  await plant(attack);
  for (const command of attack.commands) {
    const change = (): Promise<void> => writeFile(join(project, "a.txt"), `${command.join(" ")} ${Math.random()}\n`);
    if (command[0] !== "merge" && command[0] !== "rebase") await change();
    await git(command, await untrusted());
    expect(await hasRun()).toBe(false);
    await git(["merge", "--abort"], own);
    await git(["rebase", "--abort"], own);
    await hasRun();
    if (command[0] !== "merge" && command[0] !== "rebase") await change();
    else await git(["reset", "-q", "--hard"], await untrusted());
    await git(command, own);
    expect({ command, hasRun: await hasRun() }).toEqual({ command, hasRun: true });
  }
});

/** Loses the tree of the last commit. */
async function loseTree(cwd: string): Promise<void> {
  const id = (await git(["rev-parse", "HEAD^{tree}"], own, cwd)).trim();
  await rm(join(cwd, ".git/objects", id.slice(0, 2), id.slice(2)));
}

test.each(PARTIAL_ATTACKS)("an untrusted partial clone does not run $title while git reads", async ({ remote }) => {
  await plant({ title: "", config: `${PARTIAL}\n\t${remote}`, commands: [] });
  await loseTree(project);
  const env = await untrusted();
  own.GIT_ALLOW_PROTOCOL = "http:file:ext";
  const listed = await untrusted();
  delete own.GIT_ALLOW_PROTOCOL;
  for (const command of [["status"], ["diff", "HEAD"], ["ls-tree", "HEAD"]]) {
    await git(command, env);
    await git(command, listed);
    expect(await hasRun()).toBe(false);
    await git(command, own);
    expect({ command, hasRun: await hasRun() }).toEqual({ command, hasRun: true });
  }
});

test.each([
  { title: "a filter", config: '[filter "evil"]\n\tclean = MARK; cat', isPartial: false },
  {
    title: "the other end of its remote",
    config: `${PARTIAL}\n\turl = /\n\tuploadpack = MARK-PROGRAM`,
    isPartial: true,
  },
])(
  "in an untrusted repository git status does not run $title in a submodule's submodule",
  async ({ config, isPartial }) => {
    await git(["init", "-q", "-b", "main", "sub/deep"], own);
    const deep = join(project, "sub/deep");
    await git(["init", "-q", "-b", "main", "sub"], own);
    await writeFile(join(deep, ".gitattributes"), "* filter=evil\n");
    await writeFile(join(deep, "a"), "one\n");
    for (const cwd of [deep, join(project, "sub"), project]) {
      await git(["add", "."], own, cwd);
      await git(["commit", "-qm", "x"], own, cwd);
    }
    await plant({ title: "", config: "", commands: [] });
    const program = join(root, "mark.sh");
    const planted = config.replaceAll("MARK-PROGRAM", program).replaceAll("MARK; cat", `"sh ${program}; cat"`);
    await appendFile(join(deep, ".git/config"), `${planted}\n`);
    if (isPartial) await loseTree(deep);
    await writeFile(join(deep, "a"), "two\n");
    await mkdir(join(project, "inner"));
    for (const place of [project, join(project, "inner")]) {
      await git(["status"], await untrusted(place), place);
      expect(await hasRun()).toBe(false);
    }
    await git(["status"], own);
    expect(await hasRun()).toBe(true);
  },
);

test("Atomic's own listing runs nothing in an untrusted partial clone, and what git cannot list is an error", async () => {
  await plant({ title: "", config: `${PARTIAL}\n\turl = /\n\tuploadpack = MARK-PROGRAM`, commands: [] });
  await loseTree(project);
  await untrusted();
  expect(await hasRun()).toBe(false);
  await writeFile(join(project, ".git/index"), "no index");
  const error = await overruleRepositoryPrograms({ workingDirectory: project, env: own }).catch((caught) => caught);
  expect(error).toBeInstanceOf(GitSettingsUnknownError);
});

test("transports that the repository makes dangerous go from the user's own list, the others stay", () => {
  const place = { workingDirectory: project, projectDirectory: project };
  const env = { GIT_ALLOW_PROTOCOL: "https:ssh:ext:file" };
  expect(untrustedEnvironment(env, place).GIT_ALLOW_PROTOCOL).toBe("https:ssh:file");
  const gitSettings = [
    ["protocol.file.allow", "never"],
    ["protocol.ssh.allow", "never"],
  ] as const;
  expect(untrustedEnvironment(env, { ...place, gitSettings }).GIT_ALLOW_PROTOCOL).toBe("https");
  expect("GIT_ALLOW_PROTOCOL" in untrustedEnvironment({}, place)).toBe(false);
});

test("a setting of the user's own holds instead of the repository's, and is left alone where the repository has none", async () => {
  const user = [
    '[filter "lfs"]\n\tclean = lfs clean\n[credential]\n\thelper = store\n\thelper = cache',
    "[core]\n\teditor = mine\n[diff]\n\texternal = difft\n[alias]\n\tco = checkout",
  ];
  await appendFile(join(root, "home/.gitconfig"), `${user.join("\n")}\n`);
  const repository = [
    '[filter "lfs"]\n\tclean = evil\n\trequired\n[filter "Evil.X"]\n\tsmudge = evil\n[credential]\n\thelper = evil',
    '[core]\n\teditor = evil\n\tpager = evil\n[pager]\n\tlog = evil\n[merge "evil"]\n\tdriver = evil\n[gpg]\n\tprogram = evil',
    '[protocol]\n\tallow = always\n[submodule "s"]\n\tupdate = !evil\n\turl = x\n[http "https://x.y/"]\n\tsslVerify = false\n\tsaveCookies = true\n\tsslCAInfo = x\n\tdelegation = always\n[sequence]\n\teditor = evil\n[alias]\n\tci = !x\ny',
  ];
  await appendFile(join(project, ".git/config"), `${repository.join("\n").replace("\ny", "")}\n`);
  expect(await overruleRepositoryPrograms({ workingDirectory: project, env: own })).toEqual([
    ["filter.lfs.clean", "lfs clean"],
    ["filter.lfs.required", "false"],
    ["filter.Evil.X.smudge", ""],
    ["credential.helper", ""],
    ["credential.helper", "store"],
    ["credential.helper", "cache"],
    ["core.editor", "mine"],
    ["core.pager", "cat"],
    ["pager.log", "cat"],
    ["merge.evil.driver", "git merge-file %A %O %B"],
    ["gpg.program", "gpg"],
    ["protocol.allow", "user"],
    ["submodule.s.update", "checkout"],
    ["http.https://x.y/.sslverify", "true"],
    ["http.https://x.y/.savecookies", "false"],
    ["http.https://x.y/.sslcainfo", ""],
    ["http.https://x.y/.delegation", "none"],
    ["sequence.editor", "false"],
    ["alias.ci", ""],
  ]);
  expect(await git(["var", "GIT_PAGER"], await untrusted())).toBe("cat\n");
  expect(await git(["var", "GIT_EDITOR"], await untrusted())).toBe("mine\n");
});

test("the settings of a worktree count, wherever its git folder is, and hooks of a submodule do not run", async () => {
  const attack = `\n[diff]\n\texternal = "${mark()}; true"\n`;
  await writeFile(join(project, "a.txt"), "two\n");
  await git(["config", "extensions.worktreeConfig", "true"], own);
  await appendFile(join(project, ".git/config.worktree"), attack);
  await git(["diff"], await untrusted());
  expect(await hasRun()).toBe(false);
  await rename(join(project, ".git"), join(root, "elsewhere"));
  await writeFile(join(project, ".git"), "gitdir: ../elsewhere\n");
  expect(await git(["diff"], await untrusted())).toContain("+two");
  expect(await hasRun()).toBe(false);
  await git(["diff"], own);
  expect(await hasRun()).toBe(true);
  await rm(join(root, "elsewhere/config.worktree"));
  await git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", `file://${project}`, "sub"], own);
  await appendFile(join(root, "elsewhere/modules/sub/config"), `\n[core]\n\tfsmonitor = "${mark()}; false"\n`);
  await git(["status"], await untrusted());
  expect(await hasRun()).toBe(false);
  await git(["status"], own);
  expect(await hasRun()).toBe(true);
});

test("without a repository, or if git rejects the folder, nothing is overridden; unlistable settings are an error", async () => {
  const options = { workingDirectory: project, env: own };
  expect(await overruleRepositoryPrograms({ ...options, env: { ...own, PATH: root } })).toEqual([]);
  await writeFile(join(project, ".git/config"), `[x]\n\ty = ${"z".repeat(17_000_000)}\n[core]\n\tbare = false\n`);
  const error = await overruleRepositoryPrograms(options).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(GitSettingsUnknownError);
  expect(String(error)).toContain(
    `The settings of git in ${project} cannot be listed: stdout maxBuffer length exceeded. You have not trusted this project, so no agent starts before they can. Look at .git/config.`,
  );
  await rm(join(project, ".git"), { recursive: true });
  expect(await overruleRepositoryPrograms(options)).toEqual([]);
  await writeFile(join(project, ".git"), "gitdir: nowhere\n");
  expect(await overruleRepositoryPrograms(options)).toEqual([]);
});

test.each([
  { title: "of a branch", config: '[includeIf "onbranch:feature"]\n\tpath = ROOT/outer', key: "onbranch:feature" },
  {
    title: "of a remote",
    config: '[includeIf "hasconfig:remote.*.url:x"]\n\tpath = ROOT/gone',
    key: "hasconfig:remote.*.url:x",
  },
  { title: "of a folder, and further files", config: '[includeIf "gitdir:/x"]\n\tpath = ROOT/outer', key: "gitdir:/x" },
])("settings that an untrusted repository includes on a condition $title are an error", async ({ config, key }) => {
  await writeFile(join(root, "outer"), "[include]\n\tpath = inner\n");
  await appendFile(join(project, ".git/config"), `${config.replace("ROOT", root)}\n`);
  const error = await overruleRepositoryPrograms({ workingDirectory: project, env: own }).catch((caught) => caught);
  expect(error).toBeInstanceOf(GitSettingsUnknownError);
  expect(String(error)).toContain(
    `cannot be listed: "includeif.${key}.path" includes settings that may hold later. You`,
  );
});

test("settings that an untrusted repository includes for another working tree are overruled", async () => {
  await writeFile(join(root, "outer"), "[diff]\n\texternal = evil\n[http]\n\textraHeader = x\n");
  await appendFile(join(project, ".git/config"), `[includeIf "gitdir:/x"]\n\tpath = ${root}/outer\n`);
  const [setting, ...others] = await overruleRepositoryPrograms({ workingDirectory: project, env: own });
  expect([setting?.[0], others]).toEqual(["diff.external", []]);
});
