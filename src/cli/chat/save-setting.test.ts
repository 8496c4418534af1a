import { afterEach, beforeEach, expect, test } from "bun:test";
import { lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../config/usage-error.ts";
import { saveSetting } from "./save-setting.ts";

let root: string;
let atomicHome: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-setting-")));
  atomicHome = join(root, ".atomic");
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(text: string, mode = 0o644): Promise<void> {
  await mkdir(atomicHome, { recursive: true });
  await writeFile(join(atomicHome, "config.json"), text, { mode });
}

const save = (name: string, value: string) => saveSetting(name, value, { atomicHome });
const read = () => readFile(join(atomicHome, "config.json"), "utf8");
const problemOf = async (work: Promise<void>): Promise<unknown> => {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof Error && "problems" in error ? error.problems : error;
};

test("a setting is stored where there are no settings yet, for the user alone", async () => {
  await save("ui.theme", "light");
  expect(JSON.parse(await read())).toEqual({ ui: { theme: "light" } });
  expect(((await stat(join(atomicHome, "config.json"))).mode & 0o777).toString(8)).toBe("600");
});

test("comments, other settings and the file's permissions stay", async () => {
  await write(
    '{\n  // mine\n  "agent": "claude", // the best\n  "ui": {\n    "vi": true,\n    "theme": "dark"\n  },\n}\n',
  );
  await save("ui.theme", "light");
  await save("ui.reducedMotion", "true");
  expect(await read()).toBe(
    '{\n  // mine\n  "agent": "claude", // the best\n  "ui": {\n    "vi": true,\n    "theme": "light",\n    "reducedMotion": true\n  },\n}\n',
  );
  expect(((await stat(join(atomicHome, "config.json"))).mode & 0o777).toString(8)).toBe("644");
});

test("a link to the file stays a link", async () => {
  await mkdir(atomicHome);
  await writeFile(join(root, "dotfile.json"), '{"model": "a"}\n');
  await symlink(join(root, "dotfile.json"), join(atomicHome, "config.json"));
  await save("model", "b");
  expect((await lstat(join(atomicHome, "config.json"))).isSymbolicLink()).toBe(true);
  expect(JSON.parse(await readFile(join(root, "dotfile.json"), "utf8"))).toEqual({ model: "b" });
});

test.each([
  { text: "{", name: "ui.theme", value: "x", problem: ['line 1, column 2: Expected "}", found the end of the file.'] },
  {
    text: "{}",
    name: "ui.mode",
    value: "inlin",
    problem: ['ui.mode: "inlin" is not possible. Did you mean "inline"? Possible: "full", "inline", "plain".'],
  },
  {
    text: "{}",
    name: "ui.thme",
    value: "x",
    problem: new UsageError(
      'There is no setting "ui.thme". Did you mean "ui.theme"? In ui: mode, theme, themes, keys, mouse, reducedMotion, vi, statusLine. See: atomic config list --all',
    ),
  },
])(
  "with the file $text, $name = $value is an error, and the file stays as it is",
  async ({ text, name, value, problem }) => {
    await write(text);
    expect(await problemOf(save(name, value))).toEqual(problem);
    expect(await read()).toBe(text);
  },
);
