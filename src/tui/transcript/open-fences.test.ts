import { expect, test } from "bun:test";
import { OpenFences } from "./open-fences.ts";

test("the open code block of a text that grows is found", () => {
  const fences = new OpenFences();
  const start = "Intro\n```ts\n";
  const code = "code();\n".repeat(100);
  let text = start;
  for (let count = 0; count < 50; count++) {
    text += code;
    expect(fences.before(text, text.length)).toBe("```");
  }
  expect(fences.before(`${text}\`\`\`\nEnd\n`, text.length + 4)).toBeUndefined();
});

test("another text is read from its start", () => {
  const fences = new OpenFences();
  expect(fences.before("~~~\na\n", 6)).toBe("~~~");
  expect(fences.before("a\nb\nc\n", 6)).toBeUndefined();
});

test("a code block that starts after a carriage return is found", () => {
  expect(new OpenFences().before("a\r```\rb\n", 8)).toBe("```");
});
