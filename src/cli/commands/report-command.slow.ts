import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { chmod, lstat, readFile, readlink, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { FLAKY, GATE, GREET } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ flaky: FLAKY, gate: GATE, greet: GREET });
});
afterEach(() => environment.remove());

const startRun = async (...args: readonly string[]) => runIdIn((await environment.atomic("run", ...args)).stdout);
const report = (...args: readonly string[]) => environment.atomic("runs", "report", ...args);

test("the report of a run is in its session, for its owner only, with the prompt and the answer", async () => {
  const id = await startRun("greet", "the <sea>", "--agent", "scripted");
  const { exitCode, stdout, stderr } = await report("last");
  const path = join((await environment.store.load(id)).sessionDir, "report.html");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.replace(/\d+ kB/, "N kB")).toBe(`Report of the run ${id} (completed): ${path}, N kB\n`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const text = await readFile(path, "utf8");
  for (const part of ["Greet the &lt;sea&gt; 1", "Scripted answer to: Greet the &lt;sea&gt; 1", "Prompt to scripted"])
    expect(text).toContain(part);
});

test("secrets are redacted, and with --redact no text is left", async () => {
  const env = { API_TOKEN: "tok-a1b2c3d4e5f6" };
  await environment.start(["run", "greet", "--agent", "scripted"]).ended;
  const whole = await environment.start(["runs", "report", "last", "--output", "-"], { env }).ended;
  expect(whole.stdout).toContain("Greet the world 1");
  await environment.start(["run", "greet", "tok-a1b2c3d4e5f6", "--agent", "scripted"]).ended;
  const secret = await environment.start(["runs", "report", "last", "--output", "-"], { env }).ended;
  expect(secret.stdout).toContain("[redacted:API_TOKEN]");
  expect(secret.stdout).not.toContain("tok-a1b2c3d4e5f6");
  const redacted = await report("last", "--redact", "--json");
  const { path, ...about } = JSON.parse(redacted.stdout);
  expect(about).toEqual({ runId: expect.any(String), status: "completed", bytes: expect.any(Number) });
  expect(path).toEndWith("/report-redacted.html");
  expect(await readFile(path, "utf8")).not.toMatch(/Scripted answer|tok-|\/home\//);
});

test("only a report is replaced, another file with --force", async () => {
  await startRun("greet", "--agent", "scripted");
  await environment.write({ "project/mine.html": "<p>mine</p>" });
  const rejected = await report("last", "--output", "mine.html");
  expect({ ...rejected, stderr: rejected.stderr.replace(/\s+/g, " ") }).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: ${environment.project}/mine.html exists and is not a report of Atomic. Name another file with --output, or replace it with --force. (USAGE) `,
  });
  expect((await report("last", "--output", "mine.html", "--force")).exitCode).toBe(0);
  expect((await report("last", "--output", "mine.html")).exitCode).toBe(0);
  expect(await environment.read("project/mine.html")).toStartWith("<!doctype html>\n");
});

test("--open opens the report in the browser; where that is impossible, a warning names the file", async () => {
  const id = await startRun("greet", "--agent", "scripted");
  const path = join((await environment.store.load(id)).sessionDir, "report.html");
  const opened = join(environment.root, "opened");
  for (const program of ["xdg-open", "open"]) {
    await environment.write({ [`bin/${program}`]: `#!/bin/sh\necho "$1" > '${opened}'\n` });
    await chmod(join(environment.root, "bin", program), 0o755);
  }
  const env = { PATH: `${join(environment.root, "bin")}:${process.env.PATH}`, DISPLAY: ":0" };
  const call = ["runs", "report", id, "--open"];
  const ci = await environment.start(call, { env: { ...env, CI: "1" } }).ended;
  expect([ci.exitCode, ci.stderr]).toEqual([
    0,
    `warning: The report was not opened: the variable CI is set. Open it yourself: ${path}\n`,
  ]);
  expect(await Bun.file(opened).exists()).toBe(false);
  const { exitCode, stderr } = await environment.start(call, { env }).ended;
  expect({ exitCode, stderr, opened: await readFile(opened, "utf8") }).toEqual({
    exitCode: 0,
    stderr: "",
    opened: `${path}\n`,
  });
});

test("a pipe or a link to a device is never replaced, not even with --force", async () => {
  await startRun("greet", "--agent", "scripted");
  await promisify(execFile)("mkfifo", [join(environment.project, "pipe")]);
  await symlink("/dev/null", join(environment.project, "null"));
  for (const [name, args] of [
    ["pipe", []],
    ["pipe", ["--force"]],
    ["null", ["--force"]],
  ] as const) {
    const { exitCode, stderr } = await report("last", "--output", name, ...args);
    expect({ exitCode, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      exitCode: 2,
      stderr: `error: ${environment.project}/${name} is a device, a pipe or a link to no file. Name a file with --output. (USAGE) `,
    });
  }
  expect((await lstat(join(environment.project, "pipe"))).isFIFO()).toBe(true);
  expect(await readlink(join(environment.project, "null"))).toBe("/dev/null");
  await environment.write({ "project/mine.html": "mine" });
  await symlink("mine.html", join(environment.project, "link"));
  expect((await report("last", "--output", "link")).exitCode).toBe(2);
  expect((await report("last", "--output", "link", "--force")).exitCode).toBe(0);
  expect(await environment.read("project/mine.html")).toBe("mine");
});

test("a report in the project is not part of the next one, whether it is new or changed", async () => {
  const git = (...args: readonly string[]) =>
    promisify(execFile)("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: environment.project });
  await git("init", "-q");
  await git("commit", "-q", "--allow-empty", "-m", "start");
  await startRun("greet", "--agent", "scripted");
  await report("last", "--output", "old.html");
  await git("add", "old.html");
  await git("commit", "-q", "-m", "add");
  await startRun("greet", "--agent", "scripted");
  await report("last", "--output", "old.html");
  await report("last", "--output", "new.html");
  const { stdout } = await report("last", "--output", "-");
  expect(stdout.split("<!-- Report of a run").length).toBe(2);
  expect(stdout).not.toContain("&lt;!-- Report of a run");
  for (const name of ["old.html", "new.html"]) {
    expect(stdout).toContain(`<code>${name}</code> <small>a report of Atomic</small>`);
  }
});

test.each([
  { title: "--open without a file", args: ["--output", "-", "--open"], message: "--open needs a file" },
  { title: "a folder", args: ["--output", "."], message: "is a folder. Name a file with --output." },
  { title: "a missing folder", args: ["--output", "no/report.html"], message: "There is no folder" },
  { title: "standard output, with JSON", args: ["--output", "-", "--json"], message: "both use standard output" },
])("the call is wrong for $title", async ({ args, message }) => {
  await startRun("greet", "--agent", "scripted");
  const { exitCode, stdout, stderr } = await report("last", ...args);
  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`.replace(/\s+/g, " ")).toContain(message);
});

test("an unknown run is an error, with exit code 2", async () => {
  const { exitCode, stderr } = await report("zzzz");
  expect(exitCode).toBe(2);
  expect(stderr).toContain('"zzzz"');
});

test("questions and failures are in the report of a run that waits, or failed", async () => {
  await startRun("gate");
  const waiting = (await report("last", "--output", "-")).stdout;
  expect(waiting).toContain("<pre>Ship it?</pre>");
  expect(waiting).toContain('<span class="badge open">suspended</span>');
  await environment.atomic("runs", "answer", "last", "yes");
  expect((await report("last", "--output", "-")).stdout).toContain("<pre>yes</pre>");
  await environment.atomic("run", "flaky");
  const failed = (await report("last", "--output", "-")).stdout;
  expect(failed).toContain("It is not repaired. Repair it.");
});

test("a run without recorded events, and one whose workflow is gone, have a report that says so", async () => {
  const id = await startRun("gate");
  const { sessionDir } = await environment.store.load(id);
  await rm(join(sessionDir, "events.jsonl"));
  await rm(join(environment.project, ".atomic/workflows/gate.ts"));
  const { exitCode, stdout } = await report(id, "--output", "-");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("The events of this run were not recorded");
  expect(stdout).toContain("The graph is derived from the steps that ran");
  expect(stdout).toContain("<pre>Ship it?</pre>");
});
