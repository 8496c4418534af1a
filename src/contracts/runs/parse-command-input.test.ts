import { expect, test } from "bun:test";
import { parseCommandInput } from "./parse-command-input.ts";

test.each([
  { input: "", commandName: "", hasArgs: false, argsText: "" },
  { input: "hello /run", commandName: "", hasArgs: false, argsText: "" },
  { input: "/", commandName: "", hasArgs: false, argsText: "" },
  { input: "/run", commandName: "run", hasArgs: false, argsText: "" },
  { input: "/run ", commandName: "run", hasArgs: false, argsText: "" },
  { input: "/run  a b ", commandName: "run", hasArgs: true, argsText: " a b " },
  { input: "/git:commit\nfix\nit", commandName: "git:commit", hasArgs: true, argsText: "fix\nit" },
  { input: "/команда 🎉", commandName: "команда", hasArgs: true, argsText: "🎉" },
])("the input $input is split", ({ input, ...expected }) => {
  expect(parseCommandInput(input)).toEqual(expected);
});
