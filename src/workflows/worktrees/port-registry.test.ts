import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releasePorts, reservePorts } from "./port-registry.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "atomic-ports-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function ownerFile(name: string): string {
  const path = join(home, name);
  writeFileSync(path, "{}");
  return path;
}

test("blocks of ports differ, also when reserved at the same moment; an owner keeps its own", async () => {
  const owners = ["a", "b", "c", "d"].map(ownerFile);
  const reserve = () => Promise.all(owners.map((owner) => reservePorts({ home, owner, count: 10 })));
  const blocks = await reserve();
  expect(new Set(blocks.flat()).size).toBe(40);
  expect(await reserve()).toEqual(blocks);
});

test("a block without an owner, and a released one, is free again", async () => {
  const [first, second] = [ownerFile("a"), ownerFile("b")];
  const [one, two] = [
    await reservePorts({ home, owner: first, count: 3 }),
    await reservePorts({ home, owner: second, count: 3 }),
  ];
  rmSync(first);
  expect(await reservePorts({ home, owner: ownerFile("c"), count: 3 })).toEqual(one);
  await releasePorts(home, second);
  expect(await reservePorts({ home, owner: ownerFile("d"), count: 3 })).toEqual(two);
});

test.each(["127.0.0.1", "0.0.0.0", "::"])(
  "a port on which a server of others listens at %s is skipped",
  async (host) => {
    const [first = 0] = await reservePorts({ home, owner: join(home, "gone"), count: 5 });
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(first + 2, host, resolve));
    try {
      const [next = 0] = await reservePorts({ home, owner: ownerFile("a"), count: 5 });
      expect(next).toBeGreaterThan(first + 2);
    } finally {
      server.close();
    }
  },
);

test("more ports than there are is an error", async () => {
  const error = await reservePorts({ home, owner: ownerFile("a"), count: 20_000 }).catch((caught: unknown) => caught);
  expect(String(error)).toBe(
    `NoFreePortsError: No 20000 consecutive ports between 20000 and 32767 are free for a worktree. Remove worktrees that you no longer need (${home}/worktrees/ports.json lists them), or stop servers.`,
  );
});

test("a broken list of ports is an error, and stays", async () => {
  await reservePorts({ home, owner: ownerFile("a"), count: 1 });
  const path = join(home, "worktrees/ports.json");
  writeFileSync(path, "{");
  const error = await reservePorts({ home, owner: ownerFile("b"), count: 1 }).catch((caught: unknown) => caught);
  expect(String(error)).toBe(
    `WorktreeRecordError: ${path} cannot be used: line 1, column 2: expected a name in double quotes or "}". Correct the file, or move it away when no run is in progress.`,
  );
  expect(readFileSync(path, "utf8")).toBe("{");
});
