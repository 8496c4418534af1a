import { afterAll, beforeAll, expect, test } from "bun:test";
import { BUILTIN_HINTS } from "../workflows/index.ts";
import { TestEnvironment } from "./fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeAll(async () => {
  environment = await TestEnvironment.create();
});
afterAll(() => environment.remove());

test("every command of the program has a hint, and no other name", async () => {
  const { stdout } = await environment.atomic("--help");
  const [, list = ""] = /^Commands:\n(.*?)^$/ms.exec(stdout) ?? [];
  const commands = [...list.matchAll(/^ {2}([a-z]+)[| [<]/gm)].map(([, name = ""]) => name);
  expect(Object.keys(BUILTIN_HINTS).toSorted()).toEqual(commands.toSorted());
});

const HINTS = Object.entries(BUILTIN_HINTS).filter(([name]) => name !== "help");

test.each(HINTS)("the hint of %s names only options and subcommands that exist", async (name, hint) => {
  const { stdout: help } = await environment.atomic(name, "--help");
  const isGroup = help.includes("\nCommands:");
  for (const part of hint.split(" | ")) {
    const [first = ""] = part.split(" ");
    const own = isGroup ? (await environment.atomic(name, first, "--help")).stdout : help;
    if (isGroup) expect(own).toStartWith(`Usage: atomic ${name} ${first} `);
    for (const [flag] of part.matchAll(/--[a-z-]+/g)) expect(own).toContain(flag);
  }
});

test("atomic help prints the help of a command in a group", async () => {
  const { stdout, exitCode } = await environment.atomic("help", "runs", "show");
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith("Usage: atomic runs show [options] <run>\n");
  expect(stdout).toBe((await environment.atomic("runs", "show", "--help")).stdout);
});
