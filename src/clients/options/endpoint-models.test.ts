import { expect, test } from "bun:test";
import { endpointModelInfo } from "./endpoint-models.ts";

test.each([
  { title: "a model has the context window it is said to have", given: 50_000, expected: 50_000 },
  {
    title: "a model of which nothing is said has the window that its agent goes by",
    given: undefined,
    expected: 128_000,
  },
])("$title", ({ given, expected }) => {
  const model = { id: "own", ...(given === undefined ? {} : { contextWindowTokens: given }) };
  expect(endpointModelInfo(model)).toEqual({ model: "own", displayName: "own", contextWindowTokens: expected });
});
