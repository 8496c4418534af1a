import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PermissionPolicy, PermissionRequest } from "../../contracts/index.ts";
import { withSearchReach } from "./search-reach.ts";

let root: string;
let workingDirectory: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-search-")));
  workingDirectory = path.join(root, "project");
  for (const file of [
    "project/src/a.ts",
    "project/.env",
    "project/deep/er/.env.local",
    "project/keys/k.pem",
    "out/x",
  ]) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), "text");
  }
});
afterEach(() => rm(root, { recursive: true, force: true }));

function search(
  details: Partial<PermissionRequest["search"] & object> = {},
  paths: readonly string[] = ["."],
): PermissionRequest {
  return { id: "1", sessionId: "s", kind: "read", toolName: "grep", title: "grep: x", paths, search: details };
}

async function reach(request: PermissionRequest, policy: PermissionPolicy = { rules: [] }, maxEntries = 1_000) {
  const {
    request: reached,
    exclude,
    isComplete,
  } = await withSearchReach(request, {
    policy,
    workingDirectory,
    maxEntries,
  });
  const added = reached.paths.slice(request.paths.length).map((file) => path.relative(workingDirectory, file));
  return { added, exclude, isComplete, title: reached.title };
}

test("a search of the project reaches the files that hold secrets, wherever they are", async () => {
  expect(await reach(search())).toEqual({
    added: [".env", "deep/er/.env.local"],
    exclude: undefined,
    isComplete: true,
    title: "grep: x (can read .env, deep/er/.env.local)",
  });
});

test("a client that can keep files out of a search gets their names instead", async () => {
  expect(await reach(search({ canExclude: true }))).toEqual({
    added: [],
    exclude: [".env", ".env.local"],
    isComplete: true,
    title: "grep: x",
  });
});

test.each([
  { title: "a folder without such files", request: search({}, ["src"]) },
  { title: "files with another ending", request: search({ include: "*.ts" }) },
  { title: "files with one of other endings", request: search({ include: "**/*.{ts,tsx}" }) },
  { title: "no search", request: { ...search(), search: undefined } },
])("$title: nothing is reached", async ({ request }) => {
  const { search: wanted, ...rest } = request;
  expect((await reach(wanted === undefined ? rest : { ...rest, search: wanted })).added).toEqual([]);
});

test.each(["*", "**/*", ".*", "*.ts,.env", "*.ts .env", "!*.ts", "{*.ts,.env}", "*.env", "**", "*.local", "[.]env"])(
  "the limit %s keeps no secret out for certain",
  async (include) => {
    expect((await reach(search({ include }))).added).not.toEqual([]);
  },
);

test("a rule's own files are reached, under any spelling of the folder", async () => {
  const policy: PermissionPolicy = { rules: [{ effect: "deny", tools: ["read"], paths: ["**/*.pem"] }] };
  expect((await reach(search({}, ["keys/../keys"]), policy)).added).toEqual(["keys/k.pem"]);
  expect((await reach(search({}, ["src"]), policy)).added).toEqual([]);
});

test("a rule that allows all reading makes the search unnecessary, unless another rule denies a file", async () => {
  const allow = { effect: "allow", tools: ["read"] } as const;
  expect((await reach(search(), { rules: [allow] })).added).toEqual([]);
  const deny = { effect: "deny", paths: ["**/.env"] } as const;
  expect((await reach(search(), { rules: [allow, deny] })).added).toEqual([".env"]);
});

describe("a search that only lists names", () => {
  const list = (include?: string) => search({ listsNames: true, ...(include === undefined ? {} : { include }) });

  test.each([undefined, "*", "**/*", ".env*", "**/{.env,*.ts}"])("lists names such as .env: %s", async (include) => {
    expect(await reach(list(include))).toEqual({
      added: [],
      exclude: undefined,
      isComplete: true,
      title: "grep: x",
    });
  });

  test.each(["{src,../out}/*", "{src,/etc}/*", "src/../../*", "{src,~/x}/*", "[.][.]/*", "/**/x", "src/,/etc/*"])(
    "could leave its folder: %s",
    async (include) => {
      expect((await reach(list(include))).added).toEqual([".env", "deep/er/.env.local"]);
    },
  );

  test("reaches files that a rule is about", async () => {
    const rules = (effect: "deny" | "ask"): PermissionPolicy => ({
      rules: [{ effect, tools: ["read"], paths: ["**/.env", "keys/**"] }],
    });
    expect((await reach(list(), rules("deny"))).added).toEqual([".env", "keys/k.pem"]);
    expect((await reach(list(), rules("ask"))).added).toEqual([".env", "keys/k.pem"]);
  });

  test("reaches links that lead out of the project, and no folder outside of it", async () => {
    await symlink(path.join(root, "out"), path.join(workingDirectory, "src", "outside"));
    await symlink("../.env", path.join(workingDirectory, "src", "inside"));
    expect((await reach(list())).added).toEqual(["src/outside"]);
    expect((await reach({ ...list(), paths: [path.join(root, "out")] })).added).toEqual(["../out/**"]);
  });
});

test("a link counts as what it leads to", async () => {
  await symlink("../.env", path.join(workingDirectory, "src", "notes.txt"));
  expect((await reach(search({}, ["src"]))).added).toEqual(["src/notes.txt"]);
  await rm(path.join(workingDirectory, "src", "notes.txt"));
  await symlink(path.join(root, "out"), path.join(workingDirectory, "src", "outside"));
  expect((await reach(search({}, ["src"]))).added).toEqual(["src/outside"]);
  await rm(path.join(workingDirectory, "src", "outside"));
  await symlink(path.join(workingDirectory, "keys"), path.join(workingDirectory, "src", "inside"));
  expect((await reach(search({}, ["src"]))).added).toEqual([]);
});

test("a folder outside of the project is searched only where a rule allows all that is in it", async () => {
  const outside = search({ canExclude: true }, [path.join(root, "out")]);
  const exactly: PermissionPolicy = { rules: [{ effect: "allow", tools: ["read"], paths: [path.join(root, "out")] }] };
  expect((await reach(outside, exactly)).added).toEqual(["../out/**"]);
  const below: PermissionPolicy = { rules: [{ effect: "allow", paths: [path.join(root, "out{,/**}")] }] };
  expect((await reach(outside, below)).added).toEqual([]);
});

test("a search that names no folder is one of the working directory", async () => {
  expect((await reach(search({}, []))).added).toEqual([".env", "deep/er/.env.local"]);
});

test("more files than are looked at leave the search uncertain", async () => {
  expect((await reach(search({}, ["src"]), { rules: [] }, 1)).isComplete).toBe(true);
  expect((await reach(search(), { rules: [] }, 3)).isComplete).toBe(false);
});

test("names that tools could read as patterns are excluded by a plain pattern", async () => {
  await writeFile(path.join(workingDirectory, ".env.a b,{c}"), "text");
  expect((await reach(search({ canExclude: true }))).exclude).toEqual([".env", ".env.a?b??c?", ".env.local"]);
});

test("a list of tools with the search on it makes no search of the folders necessary", async () => {
  const policy: PermissionPolicy = { rules: [{ effect: "deny", exceptTools: ["grep"] }], otherwise: "allow" };
  expect(await reach(search(), policy, 1)).toEqual({
    added: [],
    exclude: undefined,
    isComplete: true,
    title: "grep: x",
  });
});
