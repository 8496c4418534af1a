import { expect, test } from "bun:test";
import { buildOpenCodePrompt } from "./opencode-prompt.ts";

const NOTHING = { model: undefined, variant: undefined, systemPrompt: undefined, outputSchema: undefined };

test("a text is one part, and unset fields are absent", () => {
  expect(buildOpenCodePrompt("Hello.", NOTHING)).toEqual({ parts: [{ type: "text", text: "Hello." }] });
});

test("parts keep their order, and a file is only named", () => {
  const { parts } = buildOpenCodePrompt(
    [
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "file", path: "src/a.ts" },
      { type: "text", text: "What is this?" },
    ],
    NOTHING,
  );
  expect(parts).toEqual([
    { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA", filename: "image-1" },
    { type: "text", text: "@src/a.ts" },
    { type: "text", text: "What is this?" },
  ]);
});

test("the settings of the session go with each message", () => {
  const { parts: _, ...settings } = buildOpenCodePrompt("Hello.", {
    model: { providerID: "p", modelID: "m" },
    variant: "high",
    systemPrompt: { mode: "append", text: "Be brief." },
    outputSchema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" },
  });
  expect(settings).toEqual({
    model: { providerID: "p", modelID: "m" },
    variant: "high",
    system: "Be brief.",
    format: { type: "json_schema", schema: { type: "object" }, retryCount: 0 },
  });
});

test("a replacing system prompt is marked for the plugin", () => {
  const { system } = buildOpenCodePrompt("Hello.", { ...NOTHING, systemPrompt: { mode: "replace", text: "Squawk." } });
  expect(system).toBe("<!-- the system prompt -->\nSquawk.");
});
