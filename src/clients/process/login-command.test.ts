import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loginCommandOf } from "./login-command.ts";

const root = await mkdtemp(join(tmpdir(), "atomic-login-"));
afterAll(() => rm(root, { recursive: true }));

async function createProgram(path: string): Promise<string> {
  const program = join(root, path);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(program, "#!/bin/sh\n");
  await chmod(program, 0o755);
  return program;
}

const [own, packaged, spaced] = await Promise.all(
  ["bin/agent", "modules/agent", "my modules/agent"].map(createProgram),
);
const commandOf = (program = "", folder = "bin"): Promise<string> =>
  loginCommandOf(program, { name: "agent", args: "auth login", env: { PATH: join(root, folder) } });

test("the program on the PATH has its name, any other one its full path", async () => {
  expect(await commandOf(own)).toBe("agent auth login");
  expect(await commandOf(packaged)).toBe(`${packaged} auth login`);
  expect(await commandOf(packaged, "nowhere")).toBe(`${packaged} auth login`);
  expect(await commandOf(spaced)).toBe(`'${spaced}' auth login`);
});
