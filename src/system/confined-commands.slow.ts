import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { homedir, platform } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { promisify } from "node:util";
import { confinedCommands } from "./confined-commands.ts";

let folder: string;
let server: Server;
let port: number;
let callCount = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(homedir(), ".confined-")));
  await writeFile(join(folder, "secret"), "secret");
  server = createServer((socket) => {
    callCount++;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  callCount = 0;
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A program that prints what it can reach. */
function program(): string {
  return `
    const fs = require("node:fs");
    const tryTo = (work) => { try { return work(); } catch (error) { return error.code; } };
    const found = {
      secret: tryTo(() => fs.readFileSync(${JSON.stringify(join(folder, "secret"))}, "utf8")),
      written: tryTo(() => fs.writeFileSync(${JSON.stringify(join(folder, "new"))}, "x") ?? "yes"),
      places: ["/tmp/x", "/dev/shm/x", "/x", "/proc/sys/kernel/core_pattern"].map((path) => tryTo(() => fs.openSync(path, "a"))),
      environment: Object.keys(process.env).filter((name) => name !== "PWD").sort(),
      folder: process.cwd(),
      killed: tryTo(() => process.kill(${process.pid}, 0)),
    };
    const socket = require("node:net").connect(${port}, "127.0.0.1");
    const end = (network) => { console.log(JSON.stringify({ ...found, network })); process.exit(0); };
    socket.on("connect", () => end("yes")).on("error", (error) => end(error.code));`;
}

async function run(index: number): Promise<unknown> {
  const confined = confinedCommands(program(), { platform: platform(), runtime: execPath }).at(index);
  if (confined === undefined) throw new RangeError(`There is no command ${index}`);
  const { command, env, workingDirectory: cwd } = confined;
  const [file, ...args] = command;
  return JSON.parse((await promisify(execFile)(file, args, { cwd, env })).stdout);
}

describe("a confined program", () => {
  test.if(existsSync("/usr/bin/bwrap"))(
    "reaches neither files nor processes nor the network with bubblewrap",
    async () => {
      expect(await run(0)).toEqual({
        secret: "ENOENT",
        written: "ENOENT",
        places: ["EROFS", "EROFS", "EROFS", "EROFS"],
        environment: ["PATH"],
        folder: "/tmp",
        killed: "ESRCH",
        network: "ECONNREFUSED",
      });
      expect(callCount).toBe(0);
      expect(existsSync(join(folder, "new"))).toBe(false);
    },
  );

  test("has no environment without it", async () => {
    expect(await run(-1)).toMatchObject({ environment: ["PATH"], folder: "/" });
  });
});

test("each system has its ways, the last of which works everywhere", () => {
  const filesOn = (system: NodeJS.Platform): readonly string[] =>
    confinedCommands("1", { platform: system, runtime: "/opt/bun" }).map(({ command }) => command[0]);
  expect(filesOn("linux")).toEqual([...(existsSync("/usr/bin/bwrap") ? ["/usr/bin/bwrap"] : []), "/opt/bun"]);
  expect(filesOn("darwin")).toEqual(["/usr/bin/sandbox-exec", "/opt/bun"]);
  expect(filesOn("win32")).toEqual(["/opt/bun"]);
});
