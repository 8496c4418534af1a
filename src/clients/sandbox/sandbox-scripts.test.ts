import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { bubblewrapScript, openWaysScript, startAgentScript } from "./sandbox-scripts.ts";

test("the ways are opened, and waited for, before the filter of system calls is on", () => {
  const ways = {
    outgoing: [{ port: 8080, socket: "/x/ways/8080" }],
    incoming: { port: 4096, socket: "/x/own/agent" },
  };
  const lines = openWaysScript(ways, { socat: "/usr/bin/socat", seccompHelper: "/it's/helper" }).split("\n");
  expect(lines.slice(0, 3)).toEqual([
    "#!/bin/sh",
    "'/usr/bin/socat' -t 30 'TCP4-LISTEN:8080,bind=127.0.0.1,fork,reuseaddr,backlog=128' 'UNIX-CONNECT:/x/ways/8080' </dev/null >/dev/null 2>&1 &",
    "'/usr/bin/socat' -t 30 'UNIX-LISTEN:/x/own/agent,fork,mode=600' 'TCP4:127.0.0.1:4096' </dev/null >/dev/null 2>&1 &",
  ]);
  expect(lines.filter((line) => line.startsWith("tries="))).toEqual([
    'tries=0; until grep -q "0100007F:1F90 " /proc/net/tcp || [ $tries -ge 200 ]; do tries=$((tries + 1)); sleep 0.01; done',
    "tries=0; until [ -S '/x/own/agent' ] || [ $tries -ge 200 ]; do tries=$((tries + 1)); sleep 0.01; done",
  ]);
  expect(lines.slice(-2)).toEqual(["exec '/it'\\''s/helper' \"$@\"", ""]);
});

test("the agent is started in its folder with its own arguments, whatever is in them", () => {
  const script = startAgentScript(
    { command: ["/bin/agent", "$(evil)", "it's"], env: {}, workingDirectory: "/work/a b" },
    { temporary: "/x/tmp" },
  );
  expect(script.split("\n").slice(-4)).toEqual([
    'mkdir -p "$HOME" 2>/dev/null',
    "cd '/work/a b' || exit 1",
    "exec '/bin/agent' '$(evil)' 'it'\\''s'",
    "",
  ]);
});

test("a secret is a pipe to the agent, and in no file when that begins", () => {
  const script = startAgentScript(
    { command: ["/bin/agent"], env: {}, workingDirectory: "/work" },
    { temporary: "/x/tmp", secrets: [{ name: "KEY_FD", file: "/x/own/KEY_FD" }], variables: { BUN_OPTIONS: "-x" } },
  );
  expect(script.split("\n").slice(-8, -3)).toEqual([
    "exec 5< <(command -p cat '/x/own/KEY_FD')",
    'wait "$!"',
    "command -p rm -f '/x/own/KEY_FD'",
    "export KEY_FD=5",
    "export BUN_OPTIONS='-x'",
  ]);
});

test("what the package leaves out comes after its own options and before the command, or nothing is started", () => {
  const call = (...args: readonly string[]) =>
    execFileSync("bash", ["-c", bubblewrapScript("/bin/echo", ["/a b"]), "bwrap", ...args], {
      encoding: "utf8",
      stdio: "pipe",
    });
  expect(call("--bind", "a b", "/c", "--setenv", "X", "--", "--", "/bin/bash", "-c", "true")).toBe(
    "--bind a b /c --setenv X -- --unshare-ipc --unshare-uts --ro-bind /proc/sys /proc/sys --tmpfs /a b -- /bin/bash -c true\n",
  );
  for (const args of [[], ["--bind", "a", "b", "true"]]) {
    expect(() => call(...args)).toThrow("Atomic does not know how @anthropic-ai/sandbox-runtime calls bubblewrap.");
  }
});
