import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test.each([
  { has: ["git"], missing: "node is not on the PATH", remedy: "Install it" },
  { has: ["node"], missing: "git is not on the PATH", remedy: "Install it" },
  { has: [], missing: "git and node are not on the PATH", remedy: "Install them" },
])("with only [$has] on the PATH, the demo says what is missing before it starts", async ({ has, missing, remedy }) => {
  for (const name of has) {
    await environment.write({ [`bin/${name}`]: "#!/bin/sh\n" });
    await chmod(join(environment.root, "bin", name), 0o755);
  }
  const call = environment.start(["demo", "--agent", "scripted"], {
    env: { PATH: join(environment.root, "bin") },
  });
  expect(await call.ended).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `error: The demo repairs a project in a git repository with the tests of Node.js, and ${missing}.\n       ${remedy}, or try another part of Atomic: atomic -p "Hello" --agent scripted\n       (DEMO_PROGRAMS_MISSING)\n`,
  });
});
