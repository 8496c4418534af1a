import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestEnvironment } from "./fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeAll(async () => {
  environment = await TestEnvironment.create();
});

afterAll(async () => {
  await environment.remove();
});

const NARROW = { isTTY: true, columns: 50 };

test.each([
  {
    args: ["--help"],
    shown: "      answer; piped input is appended (- reads the\n      message from standard input)\n",
  },
  { args: ["runs", "--help"], shown: "  watch [options] <run>\n      follow a run in progress, from any terminal;\n" },
  { args: ["config", "list"], shown: "Nothing is set. See all settings:\n  atomic config list --all\n" },
  { args: ["hooks", "list"], shown: "No hooks were found here. See docs/hooks.md for\n  the files that are read.\n" },
  { args: ["telemetry", "status"], shown: "Your environment configures no receiver\n  (docs/telemetry.md).\n" },
])("a terminal of 50 columns gets lines that end between words: $args", async ({ args, shown }) => {
  const { exitCode, stdout } = await environment.start(args, NARROW).ended;
  expect(exitCode).toBe(0);
  expect(stdout).toContain(shown);
  const tooLong = stdout.split("\n").filter((line) => line.length > 50 && line.trim().includes(" "));
  expect(tooLong).toEqual([]);
});

test("a pipe gets whole lines", async () => {
  const { stdout } = await environment.start(["hooks", "list"], { columns: 50 }).ended;
  expect(stdout).toBe("No hooks were found here. See docs/hooks.md for the files that are read.\n");
});
