import { spawn } from "node:child_process";

/**
 * Kills the process `$1`, unless it has ended, one second after the second Ctrl+C of the terminal, or `$2` seconds after the
 * terminal was closed or the process group got SIGTERM. Ends when its standard input does: `cat` reads it in the background,
 * where Ctrl+C does not reach it. Prints the message before the kill: if the process leads the terminal's session, its end
 * also ends this shell. A closed terminal sends SIGHUP only to the leader of the session. Usually that is a shell, whose end
 * sends it to the group; if it is the process itself, this shell has to look whether the terminal is still there.
 */
const WATCH = `
count=0
gone=
trap 'count=$((count + 1))' INT
trap 'gone=1' HUP TERM
trap '' PIPE
exec 3<&0
(trap '' HUP TERM; exec cat) <&3 >/dev/null & input=$!
look() {
  trap '' HUP
  trap 'kill $pause; exit' TERM
  while true 2>/dev/null >/dev/tty; do sleep 2 & pause=$!; wait $pause; done
  kill -HUP $$
}
(look) 2>/dev/null >/dev/null & look=$!
while kill -0 $input 2>/dev/null; do
  wait $input
  left=$2
  [ $count -ge 2 ] || [ $gone ] || continue
  while [ $left -gt 0 ]; do
    [ $count -ge 2 ] && left=1
    (trap '' HUP TERM; exec sleep 1)
    kill -0 $input 2>/dev/null || break 2
    left=$((left - 1))
  done
  [ -t 2 ] && printf '\\033[?25h' >&2
  echo 'atomic: The running code did not stop, so the process was killed. Its run can be resumed.' >&2
  kill -KILL "$1"
  break
done
kill $look 2>/dev/null
`;

/** Settings of {@link watchInterrupts}. */
export interface InterruptWatchOptions {
  /**
   * How long the process may take to end itself after its terminal was closed, in seconds. By default, longer than a run
   * that can be cancelled takes.
   * @default 20
   */
  readonly hangupSeconds?: number;
}

/**
 * Makes a second Ctrl+C, and the end of the terminal, end the process even in an endless loop, where JavaScript receives no
 * signal. A shell in the same process group receives it. Returns a function that ends the watch.
 */
export function watchInterrupts(
  { pid, env }: Pick<NodeJS.Process, "pid" | "env">,
  { hangupSeconds = 20 }: InterruptWatchOptions = {},
): () => void {
  const watch = spawn("/bin/sh", ["-c", WATCH, "sh", String(pid), String(hangupSeconds)], {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...env, PATH: "/usr/bin:/bin" },
  });
  // Without the shell, only such loops cannot be interrupted.
  watch.on("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return () => watch.stdin.destroy();
}
