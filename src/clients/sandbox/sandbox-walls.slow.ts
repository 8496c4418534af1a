import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readlinkSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { processesWith } from "../fixtures/running-processes.ts";
import { startHookHost } from "../process/hook-server.ts";
import { runInSandbox } from "./fixtures/run-in-sandbox.ts";
import { type StrangerService, startStranger } from "./fixtures/sandbox-bench.ts";

let root: string;
let project: string;
let stranger: StrangerService;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-walls-")));
  project = path.join(root, "project");
  for (const name of ["project", "home"]) mkdirSync(path.join(root, name));
  stranger = await startStranger();
});
afterEach(async () => {
  stranger.stop();
  await rm(root, { recursive: true, force: true });
});

const attack = (script: string, network: readonly string[] = []): Promise<string> =>
  runInSandbox(`${script}\ntrue`, {
    workingDirectory: project,
    env: { PATH: process.env.PATH ?? "", HOME: path.join(root, "home") },
    sandbox: { network },
  });

test("the proxy leads to no service of this machine, whatever it is called, and to no foreign address", async () => {
  const { port } = stranger;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  const own = addresses.map((address) => (address.includes(":") ? `[${address.replace(/%.*/, "")}]` : address));
  const names = ["127.0.0.1", "localhost", "a.localhost", "127.1", "0.0.0.0", "2130706433", "0x7f000001", "0177.0.0.1"];
  const sixes = ["[::1]", "[::ffff:127.0.0.1]", "[::]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]"];
  const here = [...names, ...sixes, ...own].map((host) => `http://${host}:${port}/`);
  const foreign = ["http://169.254.169.254/latest/meta-data/", "http://192.0.2.1/", "http://[fd00:ec2::254]/"];
  const forged = `curl -s -m 5 -x "$HTTP_PROXY" -H "Host: allowed.test" http://127.0.0.1:${port}/`;
  const resolved = `curl -s -m 5 -p -x "$HTTP_PROXY" --connect-to allowed.test:80:127.0.0.1:${port} http://allowed.test/`;
  const output = await attack(
    [
      `for url in ${[...here, ...foreign].map((url) => `'${url}'`).join(" ")}; do`,
      '  for way in "" "-p"; do curl -gs -m 5 --noproxy "" $way -x "$HTTP_PROXY" "$url"; done',
      '  curl -gs -m 5 --noproxy "" -x "${HTTP_PROXY/http:/socks5h:}" "$url"; curl -gs -m 5 --noproxy "*" "$url"',
      "done",
      `${forged}; ${resolved}`,
      `[ -n "$HTTP_PROXY" ] && echo tried`,
    ].join("\n"),
    ["allowed.test", "*.allowed.test"],
  );
  expect(stranger.connections()).toBe(0);
  expect(output).not.toContain("stranger");
  expect(output).toContain("tried");
}, 120_000);

test("a hook of Atomic's can be reached where its port is open, and answers nobody without the token", async () => {
  const host = await startHookHost();
  const calls: string[] = [];
  host.open({ "before-tool": async () => calls.push("called") });
  const output = await attack(
    `for token in "" "Bearer " "Bearer x"; do curl -s -m 5 --noproxy '*' -H "Authorization: $token" -d '{}' ${host.url}/before-tool; done`,
    [`127.0.0.1:${host.port}`],
  );
  await host.stop();
  expect(output).toBe('{"error":"The token is missing or wrong."}'.repeat(3));
  expect(calls).toEqual([]);
});

test("no processes are seen but the sandbox's own, and nothing is inherited but the three streams", async () => {
  const mark = `mark-${crypto.randomUUID()}`;
  const outside: ChildProcess = spawn("sleep", ["300"], { env: { MARK: mark } });
  await once(outside, "spawn");
  const output = await attack(
    [
      "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep ^MARK= | sed s/MARK/SEEN/",
      `kill -9 ${outside.pid}; cat /proc/${process.pid}/environ; ls /proc/1/root /proc/2/root/root /proc/1/cwd`,
      "ls /proc/$$/fd | tr '\\n' ' '; echo",
      "readlink /proc/self/ns/net; nsenter -t 1 -m true && echo ENTERED; unshare -Ur true && echo UNSHARED",
      "(: </dev/tty) && echo TERMINAL; strace -p 1 && echo TRACED",
    ].join("\n"),
  );
  const isAlive = processesWith(mark).length > 0;
  outside.kill("SIGKILL");
  await once(outside, "exit");
  expect(isAlive).toBe(true);
  expect(output).not.toMatch(/SEEN|ENTERED|UNSHARED|TERMINAL|TRACED/);
  expect(output).not.toContain(readlinkSync("/proc/self/ns/net"));
  expect(output).toMatch(/^0 1 2 $/m);
});

test("sockets of the user's services are out of reach: by their files, abstract ones, and by proxies of the sandbox", async () => {
  const service = path.join(root, "agent.sock");
  const abstract = `\0atomic-${crypto.randomUUID()}`;
  const listen = `const n = require("net"); for (const p of ${JSON.stringify([service, abstract])}) n.createServer((s) => s.end("ANSWER")).listen(p); console.log(1)`;
  const server = spawn("node", ["-e", listen], { stdio: ["ignore", "pipe", "ignore"] });
  await once(server.stdout, "data");
  const reach = (to: string) =>
    `node -e 'require("net").connect(${to}).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))'`;
  const output = await attack(
    [
      reach(JSON.stringify(service)),
      reach(JSON.stringify(abstract)),
      `socat - UNIX-CONNECT:${service}; socat - ABSTRACT-CONNECT:${abstract.slice(1)}; curl -s --unix-socket ${service} http://x/`,
      "ls -A /run /var; ls /run/user /run/docker.sock /var/run/docker.sock /tmp/.X11-unix 2>/dev/null",
      'echo "[$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR]"',
    ].join("\n"),
  );
  server.kill("SIGKILL");
  await once(server, "exit");
  expect(output).not.toContain("ANSWER");
  expect(output).toContain("EPERM\nEPERM\n");
  expect(output).toEndWith("/run:\n\n/var:\n[]\n");
});

test("shared memory of the machine, its name and the kernel's settings are neither seen nor changed", async () => {
  const [, id = expect.unreachable()] =
    /: (\d+)/.exec(execFileSync("ipcmk", ["-M", "4096"], { encoding: "utf8" })) ?? [];
  try {
    const output = await attack(
      [
        "tail -n +2 /proc/sysvipc/shm; readlink /proc/self/ns/ipc /proc/self/ns/uts",
        "for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/drop_caches /proc/sysrq-trigger; do",
        "  (: >>$file) 2>/dev/null && echo OPENED $file",
        "done",
        "hostname changed",
      ].join("\n"),
    );
    expect(output).not.toContain("OPENED");
    const [ipc, uts, ...rest] = output.split("\n");
    expect([ipc, uts]).not.toContain(readlinkSync("/proc/self/ns/ipc"));
    expect([ipc, uts]).not.toContain(readlinkSync("/proc/self/ns/uts"));
    expect(rest.join("\n")).toContain("hostname");
  } finally {
    execFileSync("ipcrm", ["-m", id]);
  }
});

test("the sandbox's own settings, scripts and ways out cannot be changed from inside", async () => {
  const output = await attack(
    'cd "$TMPDIR/../.." && for name in scripts ways; do echo x > $name/new; mv $name old; done; ls scripts',
  );
  expect(output.match(/Read-only file system/g)).toHaveLength(2);
  expect(output.match(/Device or resource busy/g)).toHaveLength(2);
  expect(output).toContain("settings.json\n");
});
