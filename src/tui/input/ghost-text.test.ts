import { expect, test } from "bun:test";
import { fitGhost, fitPlaceholder } from "./ghost-text.ts";

test.each([
  { hint: "<prompt>", column: 7, columns: 40, isAfterSpace: true, ghost: { text: "<prompt>", column: 7 } },
  { hint: "<prompt>", column: 6, columns: 40, isAfterSpace: false, ghost: { text: "<prompt>", column: 7 } },
  { hint: "<prompt>", column: 33, columns: 40, isAfterSpace: true, ghost: { text: "<promp…", column: 33 } },
  { hint: "<prompt>", column: 37, columns: 40, isAfterSpace: true, ghost: undefined },
  { hint: "", column: 0, columns: 40, isAfterSpace: true, ghost: undefined },
  { hint: "a\u001b[31m\nb", column: 0, columns: 40, isAfterSpace: true, ghost: { text: "a b", column: 0 } },
])("$hint at column $column of $columns", ({ hint, column, columns, isAfterSpace, ghost }) => {
  expect(fitGhost(hint, { column, fieldColumns: columns, isAfterSpace })).toEqual(ghost);
});

test("a placeholder has as many parts as fit", () => {
  const parts = ["Ask anything", "/ commands", "@ files"];
  expect([40, 30, 12, 5].map((columns) => fitPlaceholder(parts, columns))).toEqual([
    "Ask anything   / commands   @ files",
    "Ask anything   / commands",
    "Ask anything",
    "",
  ]);
});
