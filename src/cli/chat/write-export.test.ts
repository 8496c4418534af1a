import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExportFailedError, writeExport } from "./write-export.ts";

let workingDirectory: string;
let homeDirectory: string;

beforeAll(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), "atomic-export-"));
  homeDirectory = join(workingDirectory, "home");
  await mkdir(homeDirectory);
});
afterAll(() => rm(workingDirectory, { recursive: true, force: true }));

test("an export replaces no file, and only the user can read it", async () => {
  const names = ["chat.md", "chat.md", "chat.md", "plain", "plain", join(workingDirectory, "absolute.a.md")];
  const written: string[] = [];
  for (const name of names) written.push(await writeExport(name, `to ${name}`, { workingDirectory, homeDirectory }));
  const expected = ["chat.md", "chat-2.md", "chat-3.md", "plain", "plain-2", "absolute.a.md"];
  expect(written).toEqual(expected.map((name) => join(workingDirectory, name)));
  expect(await readFile(join(workingDirectory, "chat-3.md"), "utf8")).toBe("to chat.md");
  expect(((await stat(join(workingDirectory, "chat.md"))).mode & 0o777).toString(8)).toBe("600");
});

test("a folder that does not exist is an error with the path", async () => {
  const error = await writeExport("missing/chat.md", "", { workingDirectory, homeDirectory }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ExportFailedError);
  expect(String(error)).toContain(`The file ${join(workingDirectory, "missing/chat.md")} cannot be written: ENOENT`);
});

test("a name below the home folder is there", async () => {
  expect(await writeExport("~/chat.md", "", { workingDirectory, homeDirectory })).toBe(join(homeDirectory, "chat.md"));
});

test.each([".", "home", "~/"])("the folder %j gets no file beside it", async (name) => {
  const error = await writeExport(name, "", { workingDirectory, homeDirectory }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("cannot be written: it is a folder. Choose another name.");
});
