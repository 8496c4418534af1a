/**
 * Runs `"$@"` and ends the whole process group when file descriptor 3, the life line, reaches its end: that happens when
 * the process that holds the other end closes it or dies, `kill -9` included. The group gets SIGTERM, two seconds later
 * SIGKILL. Standard input is handed on (a background job of `sh` would read /dev/null otherwise).
 */
const SUPERVISOR_SCRIPT = [
  "exec 4<&0",
  '"$@" <&4 3<&- 4<&- &',
  "child=$!",
  "exec 4<&-",
  '( trap "" TERM; cat <&3 >/dev/null 2>&1; kill -s TERM -- -$$; sleep 2; kill -s KILL -- -$$ ) >/dev/null 2>&1 &',
  "watcher=$!",
  'wait "$child"',
  "status=$?",
  'kill -s KILL "$watcher" 2>/dev/null',
  'exit "$status"',
].join("\n");

/**
 * Wraps a command so that nothing of it outlives its parent. Spawn the result with `detached: true` (it must lead its
 * own process group) and a fourth pipe as the life line, which the parent never writes to:
 *
 * ```ts
 * const [file, ...args] = superviseCommand(["opencode", "serve"]);
 * const child = spawn(file, args, { detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] });
 * ```
 *
 * Needs a POSIX `sh`.
 */
export function superviseCommand(command: readonly [string, ...string[]]): [string, ...string[]] {
  return ["sh", "-c", SUPERVISOR_SCRIPT, "atomic-supervisor", ...command];
}
