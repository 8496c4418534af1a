import { expect, test } from "bun:test";
import { checkPicture } from "./check-pictures.ts";

const room = { layer: 1, mayImport: [], packages: [], order: ["state", ["nodes/people", "nodes/flow"]] };
const content = {
  folders: ["nodes", "state"],
  paths: new Set(["index.ts", "nodes", "nodes/flow", "nodes/people", "state", "state/annotation.ts"]),
};
const PICTURE = ["index.ts                    the face", "nodes/people · nodes/flow   nodes", "state    fields"];

test("a picture in the order of the folders is correct", () => {
  expect(checkPicture("graph", PICTURE, { room, content })).toEqual([]);
});

test.each([
  {
    title: "a name that does not exist",
    lines: ["main.ts  the face", ...PICTURE.slice(1)],
    problem: 'names "main.ts", which does not exist',
  },
  {
    title: "folders in another order",
    lines: [PICTURE[0], PICTURE[2], PICTURE[1]],
    problem:
      "differs from the order in scripts/layers.json, which is, the highest first: nodes/people · nodes/flow | state",
  },
  { title: "too many lines", lines: [...PICTURE, ...Array(38).fill("index.ts")], problem: "has 41 lines, at most 40" },
])("a picture with $title is an error", ({ lines, problem }) => {
  const shown = lines.map(String);
  expect(checkPicture("graph", shown, { room, content })).toEqual([
    `ARCHITECTURE.md: the picture of graph ${problem}.`,
  ]);
});

test("a room without an order needs every folder in its picture, those of tests left out", () => {
  const plain = { layer: 1, mayImport: [], packages: [] };
  expect(checkPicture("cli", ["nodes/flow  nodes"], { room: plain, content })).toEqual([
    'ARCHITECTURE.md: the picture of cli leaves out the folder "state".',
  ]);
});
