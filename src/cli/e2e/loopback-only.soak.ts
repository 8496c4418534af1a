import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REPOSITORY = join(import.meta.dir, "../../..");
const NAME_SERVER = join(import.meta.dir, "fixtures", "name-server.ts");

/** Conversations with an agent, and calls that could send telemetry. */
const SUITES: readonly string[] = [
  "./src/clients/vendors/copilot/copilot-client.agents.ts",
  "./src/clients/vendors/opencode/opencode-tools.agents.ts",
  "./src/cli/e2e/telemetry.soak.ts",
];

/** Conversations with every agent in commands: one of each agent, and one that an agent's settings break. */
const COMMANDS = {
  file: "./src/cli/e2e/prompt.agents.ts",
  tests: "prints the same events|a configuration that OpenCode rejects",
};

/**
 * A shell in a network namespace that has 127.0.0.1 and nothing else, with a name server that only listens. What the
 * command connects to elsewhere is unreachable, and what it asks for is printed.
 */
const SCRIPT = `
set -e
ip link set lo up
echo "nameserver 127.0.0.1" > "$FOLDER/resolv.conf"
mount --bind "$FOLDER/resolv.conf" /etc/resolv.conf
# Before the server: the shell beside this one may create it later.
: > "$FOLDER/names"
"$BUN" "$NAME_SERVER" >> "$FOLDER/names" &
server=$!
tries=0
until grep -q listening "$FOLDER/names"; do
  tries=$((tries + 1))
  if [ "$tries" -gt 200 ] || ! kill -0 "$server" 2>/dev/null; then
    echo "The name server did not begin to listen." >&2
    kill "$server" 2>/dev/null || true
    exit 1
  fi
  sleep 0.05
done
code=0
"$BUN" test --timeout=180000 "$@" > "$FOLDER/tests" 2>&1 || code=$?
"$BUN" test --timeout=180000 -t "$COMMAND_TESTS" "$COMMAND_FILE" >> "$FOLDER/tests" 2>&1 || code=$?
kill "$server"
grep "asked for" "$FOLDER/names" | sort | uniq -c || true
[ "$code" -eq 0 ] || tail -n 60 "$FOLDER/tests"
exit "$code"
`;

function canUnshare(): boolean {
  try {
    execFileSync("unshare", ["-nm", "sh", "-c", "ip link set lo up && mount --bind /etc/hosts /etc/hosts"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

const isPossible = canUnshare();

test.skipIf(!isPossible)(
  `agents with a scripted model, and telemetry, work without any network, and ask for no name${isPossible ? "" : " [no network namespaces here]"}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "atomic-loopback-"));
    try {
      const child = Bun.spawn(["unshare", "-nm", "sh", "-c", SCRIPT, "sh", ...SUITES.map((file) => `./${file}`)], {
        cwd: REPOSITORY,
        env: {
          ...{ ...process.env, FOLDER: folder, BUN: process.execPath, NAME_SERVER },
          ...{ COMMAND_FILE: COMMANDS.file, COMMAND_TESTS: COMMANDS.tests },
        },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [code, stdout, stderr] = await Promise.all([
        child.exited,
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
