import { expect, test } from "bun:test";
import { missingCapability } from "./capabilities.ts";

test("the error of a missing capability has its name for code, and says what it does for people", () => {
  const { capability, description, agentsWithIt, message } = missingCapability("copilot", "structuredOutput");
  const does = "enforce a JSON Schema on answers; for other agents Atomic validates and asks again";
  expect([capability, description, agentsWithIt]).toEqual(["structuredOutput", does, ["claude", "opencode"]]);
  expect(message).toBe(`The agent "copilot" cannot ${does}. Agents that can: claude, opencode.`);
});
