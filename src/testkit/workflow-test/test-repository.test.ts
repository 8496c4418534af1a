import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createTestRepository } from "./test-repository.ts";
import type { TestRepositoryOptions } from "./test-repository-options.ts";

async function errorOf(options: object): Promise<string> {
  // The cast stands for a test that is not type-checked.
  return await createTestRepository(options as TestRepositoryOptions).then(
    () => "created",
    (error: unknown) => String(error),
  );
}

test.each([
  [{ files: { "../escaped": "a" } }, 'has the file "../escaped" in files, which is outside of the repository'],
  [{ files: { "a/../../b": "a" } }, 'has the file "a/../../b" in files, which is outside of the repository'],
  [{ files: { "/tmp/x": "a" } }, 'has the file "/tmp/x" in files, which is outside of the repository'],
  [
    { files: { ".git/hooks/pre-commit": "a" } },
    'has the file ".git/hooks/pre-commit" in files, which is outside of the repository',
  ],
  [{ files: { x: 1 } }, 'has files["x"] 1; it must be a text'],
  [
    { commits: [{ message: "m", files: { "..": "" } }] },
    'has the file ".." in commits[0].files, which is outside of the repository',
  ],
])("%j is rejected, and leaves nothing", async (options, problem) => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith("atomic-test-"));
  const error = await errorOf(options);
  expect(error).toContain(`createTestRepository() ${problem}`);
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith("atomic-test-"));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
});

test("an unknown option is rejected with the nearest one", async () => {
  expect(await errorOf({ file: {} })).toContain(
    'createTestRepository() has an unknown option "file"; did you mean "files"?',
  );
});

test("write() writes no file when one of them is outside", async () => {
  await using repository = await createTestRepository({ files: { "a.txt": "a" } });
  const written = repository.write({ "b.txt": "b", "../escaped": "c" });
  await expect(written).rejects.toThrow(
    'write() has the file "../escaped" in files, which is outside of the repository',
  );
  expect(await repository.tree()).toEqual({ "a.txt": "a" });
});

test("a commit that git does not make removes the folder", async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith("atomic-test-"));
  expect(await errorOf({ commits: [{ message: "", files: {} }] })).toContain("empty commit message");
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith("atomic-test-"));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
});
