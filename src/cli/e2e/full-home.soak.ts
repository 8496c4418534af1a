import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SmallDisk, whyNoSmallDisk } from "../../graph/fixtures/small-disk.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const IMPORTS = `import { graph, parallelSubagentNode, shellNode, sleepNode, toolNode, waitNode } from "@bastani/atomic/graph";`;
const flow = (...nodes: readonly string[]): string =>
  `${IMPORTS}\nexport default () => graph().start(${nodes.join(").then(")}).end().compile();\n`;

const WORKFLOWS = {
  ".atomic/workflows/gate.ts": flow('waitNode({ id: "gate", prompt: "Ship?" })'),
  ".atomic/workflows/nap.ts": flow('sleepNode({ id: "nap", durationMs: 2_000 })'),
  ".atomic/workflows/broken.ts": flow('toolNode({ id: "one", execute: () => { throw new Error("broken"); } })'),
  ".atomic/workflows/long.ts": flow('shellNode({ id: "wait", command: "sleep 600" })'),
  ".atomic/workflows/apart.ts": flow(`parallelSubagentNode({
    id: "work",
    agents: [{ agentName: "worker", task: "t", isolation: "worktree", worktreeSetup: "exit 1" }],
    merge: () => ({}),
  })`),
};

const probe = mkdtempSync(join(tmpdir(), "atomic-probe-"));
const whyNot = whyNoSmallDisk(join(probe, "disk"));
rmSync(probe, { recursive: true, force: true });

/** Enough for the runs below, in bytes. */
const ROOM = 64 * 1024 * 1024;

describe.skipIf(whyNot !== undefined)("Atomic's folder", () => {
  let sandbox: Sandbox;
  let disk: SmallDisk | undefined;
  const runs: Record<string, string> = {};
  let count = 0;

  /** A copy of the prepared folder, on a disk of its own. */
  function copied(): string {
    disk?.unmount();
    disk = new SmallDisk(join(sandbox.root, `disk${++count}`), ROOM);
    // A lock may be a pipe.
    execFileSync("cp", ["-a", sandbox.atomicHome, disk.folder]);
    return join(disk.folder, ".atomic");
  }

  /** The same, full or read-only. */
  function damaged(kind: "full" | "read-only"): { readonly home: string; readonly files: string } {
    const home = copied();
    damage(kind);
    return { home, files: filesOf(home) };
  }

  function damage(kind: "full" | "read-only"): void {
    if (kind === "read-only") disk?.makeReadOnly();
    else execFileSync("sh", ["-c", `cat /dev/zero > ${folderOf(disk)}/fill 2>/dev/null || true`]);
  }

  beforeAll(async () => {
    sandbox = await Sandbox.create();
    await sandbox.write(WORKFLOWS);
    await sandbox.commitAll();
    await sandbox.atomic("trust", "add");
    for (const name of ["gate", "broken"]) {
      const { events } = await sandbox.atomic("run", name, "--json");
      runs[name] = events[0]?.runId ?? "";
    }
    const nap = sandbox.start(["run", "nap", "--json"]);
    runs.nap = (await nap.waitFor(({ type }) => type === "node-sleep")).runId;
    nap.kill("SIGKILL");
    await nap.ended;
  }, 120_000);

  afterAll(async () => {
    disk?.unmount();
    await sandbox.remove();
  });

  async function call(home: string, ...args: readonly string[]): Promise<readonly [number | null, string, string]> {
    const { exitCode, stdout, stderr } = await sandbox.start(args, { ATOMIC_HOME: home }).ended;
    const shown = stderr.replaceAll(folderOf(disk), "<disk>").replace(/\.[\w.-]+\.tmp|resume-\d+/, "<file>");
    return [exitCode, stdout, shown];
  }

  const full = (what: string): string =>
    `error: The disk is full: ${what}.\n       Make room, then call again.\n       (DISK_FULL)\n`;

  test.each([
    { args: ["pause", "gate"], what: 'the journal of the run "<gate>" cannot be read (disk I/O error)' },
    { args: ["cancel", "gate"], what: 'the journal of the run "<gate>" cannot be read (disk I/O error)' },
    {
      args: ["edit", "broken", "--set", "a=1"],
      what: 'the journal of the run "<broken>" cannot be read (disk I/O error)',
    },
    { args: ["fork", "broken"], what: 'the journal of the run "<broken>" cannot be read (disk I/O error)' },
    {
      args: ["retry", "broken", "one"],
      what: "the lock of the working tree, <lock>, cannot be used (database or disk is full)",
    },
    {
      args: ["skip", "broken", "one"],
      what: "the lock of the working tree, <lock>, cannot be used (database or disk is full)",
    },
  ])("without room keeps everything, and says what is full: runs $args", async ({ args, what }) => {
    const { home, files } = damaged("full");
    const [verb = "", run = "", ...rest] = args;
    const [exitCode, stdout, stderr] = await call(home, "runs", verb, runs[run] ?? "", ...rest);
    const lock = /<disk>\S+\.lock/.exec(stderr)?.[0] ?? "";
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      "",
      full(what.replace(`<${run}>`, runs[run] ?? "").replace("<lock>", lock)),
    ]);
    expect(filesOf(home)).toBe(files);
  });

  test.each([
    { args: ["retry", "broken", "one"], code: "JOURNAL_WRITE" },
    { args: ["skip", "broken", "one"], code: "JOURNAL_WRITE" },
    { args: ["cancel", "gate"], code: "JOURNAL_WRITE" },
    { args: ["edit", "broken", "--set", "a=1"], code: "JOURNAL_WRITE" },
    { args: ["fork", "broken"], code: "HOME_UNUSABLE" },
    { args: ["delete", "broken", "--force"], code: "HOME_UNUSABLE" },
  ])("that cannot be written keeps everything: runs $args", async ({ args, code }) => {
    const { home, files } = damaged("read-only");
    const [verb = "", run = "", ...rest] = args;
    const [exitCode, stdout, stderr] = await call(home, "runs", verb, runs[run] ?? "", ...rest);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`(${code})`);
    expect(stderr).toContain("EROFS: read-only file system");
    expect(filesOf(home)).toBe(files);
  });

  test.each([
    { args: ["list"] },
    { args: ["show", "gate"] },
    { args: ["show", "gate", "--log"] },
    { args: ["show", "nap"] },
    { args: ["history", "gate"] },
  ])("that cannot be written is read: runs $args", async ({ args: words }) => {
    const args = words.map((word) => runs[word] ?? word);
    const readable = await call(copied(), "runs", ...args);
    expect([readable[0], readable[2]]).toEqual([0, ""]);
    const { home, files } = damaged("read-only");
    const [exitCode, stdout, stderr] = await call(home, "runs", ...args);
    const ofOtherDisk = (text: string): string => text.replaceAll(/\bdisk\d+\b/g, "disk");
    expect([exitCode, ofOtherDisk(stdout), stderr]).toEqual([0, ofOtherDisk(readable[1]), ""]);
    expect(filesOf(home)).toBe(files);
  });

  test("without room names each run that cannot be read in runs due", async () => {
    const [exitCode, , stderr] = await call(damaged("full").home, "runs", "due");
    const gate = `The run ${runs.gate} cannot be read: The disk is full: the journal of the run "${runs.gate}" cannot be read (disk I/O error). Make room, then call again.`;
    expect(stderr).toContain(`warning: ${gate}\n`);
    expect(exitCode).toBe(1);
  });

  test("that cannot be written names the run that runs due did not resume", async () => {
    const [exitCode, , stderr] = await call(damaged("read-only").home, "runs", "due");
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(
      `error: The run ${runs.nap} was not resumed: Atomic cannot use its folder "<disk>/.atomic": EROFS: read-only file system`,
    );
  });

  test("where a run's lease cannot be taken, runs due names that run with the reason", async () => {
    const home = copied();
    const locks = join(home, "workflows/sessions", runs.nap ?? "", "journal.db.locks");
    rmSync(locks, { recursive: true, force: true });
    symlinkSync(join(folderOf(disk), "nowhere"), locks);
    const [exitCode, stdout, stderr] = await call(home, "runs", "due");
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`interrupted nap  run ${runs.nap}\n`)]);
    expect(stderr).toContain(`error: The run ${runs.nap} was not resumed:\n`);
    expect(stderr).toContain("(JOURNAL_WRITE)");
  });

  test("without room lets runs be deleted", async () => {
    const { home } = damaged("full");
    expect(await call(home, "runs", "delete", runs.broken ?? "", "--force")).toEqual([
      0,
      `deleted  run ${runs.broken}\n`,
      "",
    ]);
    expect(readdirSync(join(home, "workflows/sessions"))).not.toContain(runs.broken);
  });

  test("keeps the worktrees that runs gc cannot remove", async () => {
    for (const kind of ["full", "read-only"] as const) {
      const home = copied();
      await call(home, "run", "apart", "--agent", "scripted", "--yolo");
      damage(kind);
      const files = filesOf(join(home, "worktrees"));
      const [exitCode, stdout, stderr] = await call(home, "runs", "gc");
      const readOnly = `error: Atomic cannot use its folder "<disk>/.atomic": EROFS: read-only file system`;
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toStartWith(
        kind === "full" ? full(`Atomic's folder "<disk>/.atomic" has no room (database or disk is full)`) : readOnly,
      );
      expect(filesOf(join(home, "worktrees"))).toBe(files);
    }
  });

  test.each<{ args: readonly string[] }>([
    { args: ["pause"] },
    { args: ["retry", "wait"] },
    { args: ["skip", "wait"] },
    { args: ["cancel", "wait"] },
  ])(
    "without room names the run whose process cannot be sent a command: runs $args",
    async ({ args: [verb = "", ...node] }) => {
      const home = copied();
      const long = sandbox.start(["run", "long", "--json"], { ATOMIC_HOME: home });
      const { runId } = await long.waitFor(({ type }) => type === "command-start");
      damage("full");
      const [exitCode, stdout, stderr] = await call(home, "runs", verb, runId, ...node);
      expect([exitCode, stdout, stderr]).toEqual([
        1,
        "",
        `error: The command for the run "${runId}" cannot be sent (ENOSPC: no space left on device, write), and nothing was changed.
       Make room or repair the access, then try again.
       (COMMAND_UNSENT)
`,
      ]);
      rmSync(join(folderOf(disk), "fill"));
      long.kill("SIGINT");
      // It ended by itself if it had something to write meanwhile.
      expect([130, 1]).toContain((await long.ended).exitCode ?? 0);
    },
  );
});

/** The names and contents of what a folder keeps; locks come and go. */
function filesOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const kept = names.filter((name) => /\.(db|json|jsonl)$/.test(name) && !name.includes("cache/"));
  return kept.map((name) => `${name}\n${readFileSync(join(folder, name), "latin1")}`).join("\n");
}

function folderOf(disk: SmallDisk | undefined): string {
  return disk?.folder ?? "";
}
