import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../testkit/conformance/wait-until.ts";
import { superviseCommand } from "./supervised-command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "atomic-supervised-"));
const HAS_PROC = existsSync("/proc/self/status");
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that starts `sleep` in a session of its own, writes both process ids to a file, and continues. */
const PROGRAM = `
const { spawn } = require("node:child_process");
const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
require("node:fs").writeFileSync(process.argv[1], process.pid + " " + child.pid);
setInterval(() => {}, 1000);
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!HAS_PROC) return true;
    // A zombie has no memory left.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** A folder with the few programs of a slim container. */
function slimPath(): string {
  const bin = path.join(folder, "bin");
  mkdirSync(bin);
  for (const name of ["sh", "cat", "awk", "sleep"]) symlinkSync(Bun.which(name) ?? name, path.join(bin, name));
  return bin;
}

/** Ends a program that has started another one, and waits until both have ended. */
async function expectEnd(searchPath: string | undefined): Promise<void> {
  const named = path.join(folder, crypto.randomUUID());
  const [file, ...args] = superviseCommand([process.execPath, "-e", PROGRAM, named]);
  const child = spawn(file, args, {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    env: { PATH: searchPath },
  });
  const pids = (): number[] => {
    try {
      return readFileSync(named, "utf8").split(" ").map(Number);
    } catch {
      return [];
    }
  };
  await waitUntil(() => pids().length === 2, "the program does not run");
  expect(pids().map(isAlive)).toEqual([true, true]);
  child.stdio[3]?.destroy();
  await waitUntil(
    () => !pids().some(isAlive),
    () => `running still: ${pids().filter(isAlive).join(", ")}`,
  );
}

test("the end of the life line ends the command, and what it started in another process group", async () => {
  await expectEnd(process.env.PATH);
}, 10_000);

test.skipIf(!HAS_PROC)(
  "that holds where there is no ps, too",
  async () => {
    await expectEnd(slimPath());
  },
  10_000,
);
