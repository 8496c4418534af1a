import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ImageTooLargeError, readImageFile } from "./read-image-file.ts";

let workingDirectory: string;

beforeAll(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), "atomic-image-"));
  await writeFile(join(workingDirectory, "shot.PNG"), "abc");
  await writeFile(join(workingDirectory, "note.txt"), "abc");
  await writeFile(join(workingDirectory, "large.png"), "");
  await truncate(join(workingDirectory, "large.png"), 30_000_000);
});
afterAll(() => rm(workingDirectory, { recursive: true, force: true }));

test.each([
  { path: "shot.PNG", image: { mediaType: "image/png", data: "YWJj" } },
  { path: "note.txt", image: undefined },
  { path: "missing.png", image: undefined },
])("the file $path is $image", async ({ path, image }) => {
  expect(await readImageFile(path, { workingDirectory })).toEqual(image);
  expect(await readImageFile(join(workingDirectory, path), { workingDirectory: "/" })).toEqual(image);
});

test("an image that no agent accepts is an error with its size", async () => {
  const path = join(workingDirectory, "large.png");
  const reading = readImageFile("large.png", { workingDirectory });
  expect(await reading.catch((error: unknown) => error)).toEqual(new ImageTooLargeError(path, 30_000_000));
});
