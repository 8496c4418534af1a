/**
 * Runs `"$@"` and ends the whole process group when file descriptor 3, the life line, reaches its end: when the process at
 * the other end closes it or dies, `kill -9` included. The group receives SIGTERM and one second later SIGKILL, and so do
 * the command's descendants that have left the group, as agents' shells do. Standard input is passed on explicitly, because
 * a background job of `sh` would read /dev/null.
 */
const SUPERVISOR_SCRIPT = [
  "exec 4<&0",
  '"$@" <&4 3<&- 4<&- 9<&- &',
  "child=$!",
  "exec 4<&-",
  "processes() {",
  "  if [ -r /proc/self/status ]; then",
  "    cat /proc/[0-9]*/status | awk '/^Pid:/ { pid = $2 } /^PPid:/ { print pid, $2 }'",
  "  else",
  "    ps -A -o pid= -o ppid=",
  "  fi",
  "}",
  "descendants() {",
  '  processes | awk -v root="$child" \'',
  "    { parent[$1] = $2 }",
  "    END {",
  "      for (pid in parent) {",
  "        at = pid",
  "        while (at in parent && at != root && parent[at] != at) at = parent[at]",
  "        if (at == root && pid != root) print pid",
  "      }",
  "    }'",
  "}",
  "(",
  '  trap "" TERM',
  "  cat <&3",
  "  left=$(descendants)",
  "  kill -s TERM -- -$$ $left",
  "  sleep 1",
  "  kill -s KILL $left",
  "  kill -s KILL -- -$$",
  ") >/dev/null 2>&1 &",
  "watcher=$!",
  'wait "$child"',
  "status=$?",
  'kill -s KILL "$watcher" 2>/dev/null',
  'exit "$status"',
].join("\n");

/** Moves the descriptor that the supervisor holds out of the way of standard input. The command itself does not get it. */
const HOLD_SCRIPT = "exec 9<&4";

/**
 * Wraps a command: none of its processes outlive its parent. Spawn the result with `detached: true` (it must lead its
 * own process group) and a fourth pipe as the life line, which the parent never writes to:
 *
 * ```ts
 * const [file, ...args] = superviseCommand(["opencode", "serve"]);
 * const child = spawn(file, args, { detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] });
 * ```
 *
 * With `isHolding`, the supervisor's processes keep descriptor 4 open until the whole group has ended; the command and what
 * it starts do not have it.
 *
 * Needs a POSIX `sh` with `cat`, `sleep` and `awk`, and either Linux's `/proc`, as containers without `ps` have it, or `ps`.
 */
export function superviseCommand(
  command: readonly [string, ...string[]],
  { isHolding = false }: { readonly isHolding?: boolean } = {},
): [string, ...string[]] {
  const script = isHolding ? `${HOLD_SCRIPT}\n${SUPERVISOR_SCRIPT}` : SUPERVISOR_SCRIPT;
  return ["sh", "-c", script, "atomic-supervisor", ...command];
}
