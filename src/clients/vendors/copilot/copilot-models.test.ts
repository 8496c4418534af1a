import { expect, test } from "bun:test";
import type { ModelInfo } from "@github/copilot-sdk";
import { toModelDisplayInfo } from "./copilot-models.ts";

/** A model with the fields that are read; the SDK's type has more. */
function model(fields: object): ModelInfo {
  return { id: "gpt", name: "GPT", ...fields } as ModelInfo; // the missing fields are not read
}

test.each([
  { title: "a model of which nothing more is known", given: {}, expected: { model: "gpt", displayName: "GPT" } },
  { title: "a model without a name", given: { name: "" }, expected: { model: "gpt", displayName: "gpt" } },
  {
    title: "a model's window, and its efforts in Atomic's words, each once",
    given: {
      capabilities: { limits: { max_context_window_tokens: 64_000 } },
      supportedReasoningEfforts: ["minimal", "low", "high", "xhigh", "max", "unheard-of"],
    },
    expected: {
      model: "gpt",
      displayName: "GPT",
      contextWindowTokens: 64_000,
      reasoningEfforts: ["low", "high", "max"],
    },
  },
])("$title", ({ given, expected }) => {
  expect(toModelDisplayInfo(model(given))).toEqual(expected as ReturnType<typeof toModelDisplayInfo>); // as it is written
});
