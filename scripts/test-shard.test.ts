import { expect, test } from "bun:test";
import { filesOfShard, readShard } from "./test-shard.ts";

test("--shard=K/N is taken out of the flags", () => {
  expect(readShard(["--bail", "--shard=2/3", "-t", "x"])).toEqual({
    shard: { index: 2, count: 3 },
    flags: ["--bail", "-t", "x"],
  });
  expect(readShard(["--bail"])).toEqual({ flags: ["--bail"] });
});

test.each(["--shard", "--shard=", "--shard=2", "--shard=0/2", "--shard=3/2", "--shard=1/2x"])(
  "%s is no part",
  (flag) => {
    expect(() => readShard([flag])).toThrow(`Write --shard=K/N with 1 ≤ K ≤ N, for example --shard=1/2: ${flag}`);
  },
);

test("the parts have every file once", () => {
  const files = ["a", "b", "c", "d", "e"];
  expect([1, 2].map((index) => filesOfShard(files, { index, count: 2 }))).toEqual([
    ["a", "c", "e"],
    ["b", "d"],
  ]);
});
