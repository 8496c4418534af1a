import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProgram } from "./start-program.ts";

/** Prints its process number in place of an address, and ends with its standard input. */
const SERVER = `process.stdin.on("end", () => process.exit(0)).resume(); console.log(process.pid);`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-bench-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function writeProgram(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("a started program", () => {
  test("reports its address, and has ended when it was stopped", async () => {
    const program = await startProgram(await writeProgram("server.ts", SERVER));
    expect(existsSync(`/proc/${program.address}`)).toBe(true);
    await program.stop();
    expect(existsSync(`/proc/${program.address}`)).toBe(false);
  });

  test("that died meanwhile is stopped at once", async () => {
    const program = await startProgram(await writeProgram("server.ts", SERVER));
    process.kill(Number(program.address), "SIGKILL");
    while (existsSync(`/proc/${program.address}`)) await sleep(5);
    await program.stop();
  });

  test("that ends without an address is an error", async () => {
    const path = await writeProgram("broken.ts", "process.exit(3);");
    await expect(startProgram(path)).rejects.toThrow(
      new Error(`Error: ${path} ended (3) before it printed its address.`),
    );
  });
});
