import { expect, test } from "bun:test";
import { SmallMap } from "./small-map.ts";

type Change = readonly ["set", string, number] | readonly ["delete", string];

function contentOf(map: SmallMap<string, number>) {
  const keys = ["a", "b", "c"];
  return {
    size: map.size,
    entries: [[...map.keys()], [...map.values()]],
    found: keys.filter((key) => map.has(key)),
    values: keys.map((key) => map.get(key)),
  };
}

test.each<{ title: string; changes: readonly Change[]; entries: readonly (readonly [string, number])[] }>([
  { title: "has nothing at first", changes: [], entries: [] },
  { title: "holds one entry", changes: [["set", "a", 1]], entries: [["a", 1]] },
  {
    title: "replaces the value of its only entry",
    changes: [
      ["set", "a", 1],
      ["set", "a", 2],
    ],
    entries: [["a", 2]],
  },
  {
    title: "holds the next entry when its only one is gone",
    changes: [
      ["set", "a", 1],
      ["delete", "a"],
      ["set", "b", 2],
    ],
    entries: [["b", 2]],
  },
  {
    title: "keeps several in the order of insertion, whatever value they get later",
    changes: [
      ["set", "c", 1],
      ["set", "a", 2],
      ["set", "b", 3],
      ["set", "c", 4],
    ],
    entries: [
      ["c", 4],
      ["a", 2],
      ["b", 3],
    ],
  },
  {
    title: "holds what is left of several, and what is added to it",
    changes: [
      ["set", "a", 1],
      ["set", "b", 2],
      ["delete", "a"],
      ["set", "c", 3],
    ],
    entries: [
      ["b", 2],
      ["c", 3],
    ],
  },
  {
    title: "is empty and usable after several entries were deleted",
    changes: [
      ["set", "a", 1],
      ["set", "b", 2],
      ["delete", "a"],
      ["delete", "b"],
      ["set", "c", 3],
    ],
    entries: [["c", 3]],
  },
  {
    title: "does not mind when what is not there is removed",
    changes: [
      ["delete", "a"],
      ["set", "b", 1],
      ["delete", "a"],
    ],
    entries: [["b", 1]],
  },
])("$title", ({ changes, entries }) => {
  const map = new SmallMap<string, number>();
  const plain = new Map(entries);
  for (const change of changes) {
    if (change[0] === "set") map.set(change[1], change[2]);
    else map.delete(change[1]);
  }
  expect(contentOf(map)).toEqual({
    size: plain.size,
    entries: [[...plain.keys()], [...plain.values()]],
    found: ["a", "b", "c"].filter((key) => plain.has(key)),
    values: ["a", "b", "c"].map((key) => plain.get(key)),
  });
});
