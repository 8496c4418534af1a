import { expect, test } from "bun:test";
import type { ClientOptions } from "../../options/client-options.ts";
import { resolveModel } from "./opencode-model.ts";

const BARE: Pick<ClientOptions, "endpoint"> = {};
const ENDPOINT: Pick<ClientOptions, "endpoint"> = {
  endpoint: {
    protocol: "anthropic-messages",
    baseUrl: "http://127.0.0.1:9/v1",
    models: [{ id: "large" }, { id: "vendor/small" }],
  },
};

test.each([
  { options: BARE, name: undefined, expected: undefined },
  { options: BARE, name: "plain", expected: undefined },
  { options: BARE, name: "openrouter/vendor/model", expected: { providerID: "openrouter", modelID: "vendor/model" } },
  { options: ENDPOINT, name: undefined, expected: { providerID: "atomic", modelID: "large" } },
  { options: ENDPOINT, name: "vendor/small", expected: { providerID: "atomic", modelID: "vendor/small" } },
  { options: ENDPOINT, name: "atomic/large", expected: { providerID: "atomic", modelID: "large" } },
  { options: ENDPOINT, name: "other", expected: { providerID: "atomic", modelID: "other" } },
])("the model $name is $expected", ({ options, name, expected }) => {
  expect(resolveModel(options, name)).toEqual(expected);
});
