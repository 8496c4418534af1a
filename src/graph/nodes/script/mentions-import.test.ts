import { expect, test } from "bun:test";
import { mentionsImport } from "./mentions-import.ts";

test.each([
  { text: 'await import("x")', isOne: true },
  { text: 'import /* a\n */ // b\n ("x")', isOne: true },
  { text: 'import <!-- c\n("x")', isOne: true },
  { text: "import.meta.url", isOne: true },
  { text: 'import . /* a */ defer("x")', isOne: true },
  { text: "await import. source(name)", isOne: true },
  { text: 'agent("import (the file)")', isOne: true },
  { text: 'agent("Import the file, then important (ones)")', isOne: false },
  { text: "reimport(1)", isOne: false },
  { text: "Look at the import. Then meta data", isOne: false },
])("whether a script mentions an import: $text", ({ text, isOne }) => {
  expect(mentionsImport(text)).toBe(isOne);
});
