import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import { createCheckCache } from "./check-cache.ts";

let root = "";
let checks: string[] = [];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-checks-")));
  checks = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const file = (name: string): WorkflowFile => ({ path: join(root, name), realPath: join(root, name), source: "local" });
const place = () => join(root, "cache", "checks.json");
const WARNING = { path: "x", message: "Odd.", remedy: "Even it.", severity: "warning" } as const;
const ERROR = { ...WARNING, severity: "error" } as const;

/** A cache as a new process has it. The workflow's description is the text of its file. */
function open(version = "1") {
  return createCheckCache({
    path: place(),
    version,
    async check({ path, source }) {
      checks.push(path.slice(root.length + 1));
      const description = await readFile(path, "utf8");
      if (description.startsWith("broken")) return { problems: [ERROR], isLasting: description === "broken text" };
      return { workflow: { metadata: { name: "a", description, aliases: [], source }, path }, problems: [WARNING] };
    },
  });
}

test("an unchanged file is checked once, in this process and in later ones", async () => {
  await writeFile(join(root, "a.ts"), "one");
  const cache = open();
  const expected = {
    workflow: {
      metadata: { name: "a", description: "one", aliases: [], source: "local" },
      path: join(root, "a.ts"),
    },
    problems: [WARNING],
  } as const;
  expect(await cache.check(file("a.ts"))).toEqual(expected);
  expect(await cache.check(file("a.ts"))).toEqual(expected);
  await cache.save();
  expect(await open().check(file("a.ts"))).toEqual(expected);
  expect(checks).toEqual(["a.ts"]);
});

test("a changed file, another version of Atomic, and a broken file are checked again", async () => {
  await writeFile(join(root, "a.ts"), "one");
  await writeFile(join(root, "b.ts"), "broken");
  const cache = open();
  for (const name of ["a.ts", "b.ts"]) await cache.check(file(name));
  await cache.save();
  await writeFile(join(root, "a.ts"), "two");
  const next = open();
  expect((await next.check(file("a.ts"))).workflow?.metadata.description).toBe("two");
  expect(await next.check(file("b.ts"))).toEqual({ problems: [ERROR] });
  await next.save();
  await open("2").check(file("a.ts"));
  expect(checks).toEqual(["a.ts", "b.ts", "a.ts", "b.ts", "a.ts"]);
});

test("a file whose own text is the cause of its problems is checked again when it changes", async () => {
  await writeFile(join(root, "a.ts"), "broken text");
  const cache = open();
  await cache.check(file("a.ts"));
  await cache.save();
  expect(await open().check(file("a.ts"))).toEqual({ problems: [ERROR] });
  expect(checks).toEqual(["a.ts"]);
  await writeFile(join(root, "a.ts"), "mended");
  expect((await open().check(file("a.ts"))).workflow?.metadata.description).toBe("mended");
});

test.each([
  { title: "is no JSON", text: "{" },
  { title: "has another shape", text: '{ "version": "1", "entries": { "a.ts": 1 } }' },
  {
    title: "has entries of another shape",
    text: '{ "version": "1", "entries": { "PATH": { "fingerprint": "FOUND", "fact": { "metadata": {} } } } }',
  },
  { title: "is huge", text: `{ "version": "1", "entries": {} }${" ".repeat(2_000_000)}` },
])("a file of results that $title counts as empty, and is replaced", async ({ text }) => {
  await writeFile(join(root, "a.ts"), "one");
  const cache = open();
  await cache.check(file("a.ts"));
  await cache.save();
  const { entries } = JSON.parse(await readFile(place(), "utf8"));
  const fingerprint = entries[join(root, "a.ts")].fingerprint;
  await writeFile(place(), text.replace("PATH", join(root, "a.ts")).replace("FOUND", fingerprint));
  const next = open();
  await next.check(file("a.ts"));
  await next.save();
  await open().check(file("a.ts"));
  expect(checks).toEqual(["a.ts", "a.ts"]);
});

test("of more results than fit, the newest are kept", async () => {
  for (const name of ["a.ts", "b.ts", "c.ts"]) await writeFile(join(root, name), name.repeat(60_000));
  const cache = open();
  for (const name of ["a.ts", "b.ts", "c.ts"]) await cache.check(file(name));
  await cache.save();
  const next = open();
  for (const name of ["c.ts", "b.ts", "a.ts"]) await next.check(file(name));
  expect(checks).toEqual(["a.ts", "b.ts", "c.ts", "a.ts"]);
});

test.skipIf(process.getuid?.() === 0)("where nothing can be written, every process checks again", async () => {
  await writeFile(join(root, "a.ts"), "one");
  await chmod(root, 0o500);
  const cache = open();
  await cache.check(file("a.ts"));
  await cache.save();
  await chmod(root, 0o700);
  await open().check(file("a.ts"));
  expect(checks).toEqual(["a.ts", "a.ts"]);
});

test("a folder in the place of the file of results stops nothing", async () => {
  await writeFile(join(root, "a.ts"), "one");
  await writeFile(join(root, "cache"), "");
  const cache = open();
  await cache.check(file("a.ts"));
  await cache.save();
  expect(checks).toEqual(["a.ts"]);
});
