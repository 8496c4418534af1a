import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { destroyTreeSitterClient } from "@opentui/core";
import { prepareHighlighting } from "./syntax-style.ts";

test("grammars are kept in the folder that the program chooses", async () => {
  const cacheDirectory = await mkdtemp(join(tmpdir(), "atomic-highlighting-"));
  try {
    // The worker of another test file in this process may have started with another folder.
    await destroyTreeSitterClient();
    await prepareHighlighting({ cacheDirectory });
    expect(await readdir(cacheDirectory)).toEqual(["tree-sitter"]);
  } finally {
    await destroyTreeSitterClient();
    await rm(cacheDirectory, { recursive: true });
  }
});
