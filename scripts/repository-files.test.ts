import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "yaml";
import manifest from "../package.json";
import { PROGRAM_TARGETS } from "./program-targets.ts";

const ROOT = join(import.meta.dirname, "..");

/** What is read of a workflow of GitHub. */
interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly "runs-on": string;
  readonly "timeout-minutes": number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

async function listFiles(folder: string, ending: RegExp): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return entries.filter((entry) => ending.test(entry)).map((entry) => join(folder, entry));
}

async function readYaml(path: string): Promise<unknown> {
  const document = parseDocument(await readFile(join(ROOT, path), "utf8"));
  expect([path, document.errors, document.warnings]).toEqual([path, [], []]);
  return document.toJS();
}

const FILES = await listFiles(".github", /\.ya?ml$/);
const WORKFLOWS = FILES.filter((path) => path.startsWith(".github/workflows/"));

test.each(FILES)("%s is YAML without errors or repeated keys", async (path) => {
  expect(await readYaml(path)).toBeObject();
});

test.each(WORKFLOWS)("%s limits its permissions and times, and runs only scripts that exist", async (path) => {
  const { on, permissions, jobs } = (await readYaml(path)) as Workflow; // GitHub's format, which the assertions check
  expect({ on, permissions }).toEqual({ on: expect.anything(), permissions: { contents: "read" } });
  for (const job of Object.values(jobs)) {
    expect(job).toMatchObject({ "runs-on": expect.any(String), "timeout-minutes": expect.any(Number) });
    for (const { uses, run } of job.steps) expect([uses, run].filter((part) => part !== undefined)).toHaveLength(1);
  }
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = "" }) => run));
  const scripts = commands.join("\n").matchAll(/npm run ([\w:]+)/g);
  expect([...scripts].map(([, name = ""]) => name).filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual(
    [],
  );
});

test("the fast tests run on Linux and macOS, on each supported Node", async () => {
  expect(await readYaml(".github/workflows/ci.yml")).toMatchObject({
    jobs: { test: { strategy: { matrix: { os: ["ubuntu-latest", "macos-latest"], node: [20, 22, 24] } } } },
  });
});

test("only a pushed tag or a person's own call publishes", async () => {
  const publishing = await Promise.all(
    WORKFLOWS.map(async (path) => ((await readFile(join(ROOT, path), "utf8")).includes("npm publish") ? [path] : [])),
  );
  expect(publishing.flat()).toEqual([".github/workflows/release.yml"]);
  expect(await readYaml(".github/workflows/release.yml")).toMatchObject({
    on: { push: { tags: ["v*"] }, workflow_dispatch: { inputs: { version: { required: true } } } },
    jobs: { publish: { environment: "npm" } },
  });
  const { on } = (await readYaml(".github/workflows/release.yml")) as Workflow; // checked above
  expect(on).toHaveProperty("push", { tags: ["v*"] });
});

test("the release and the page about the installation have a program for each platform", async () => {
  const programs = PROGRAM_TARGETS.map(({ program }) => program);
  const include = programs.map((program) => expect.objectContaining({ program }));
  expect(await readYaml(".github/workflows/release.yml")).toMatchObject({
    jobs: { binaries: { strategy: { matrix: { include } } } },
  });
  const page = await readFile(join(ROOT, "docs/installation.md"), "utf8");
  expect([...page.matchAll(/^\| `(atomic-[^`]+)` \|/gm)].map(([, program]) => program)).toEqual(programs);
});

test("llms.txt links every page of the documentation, and only pages that exist", async () => {
  const text = await readFile(join(ROOT, "llms.txt"), "utf8");
  const linked = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
  expect(linked.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(linked).toEqual(expect.arrayContaining([...(await listFiles("docs", /\.md$/))]));
});
