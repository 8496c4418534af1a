import { spawn } from "node:child_process";

/**
 * Kills the process `$1` one second after the second Ctrl+C of the terminal, unless it has ended. Ends when its standard
 * input does: `cat` reads it in the background, where Ctrl+C does not reach it. Prints the message before the kill: if the
 * process leads the terminal's session, its end also ends this shell.
 */
const WATCH = `
count=0
trap 'count=$((count + 1))' INT
exec 3<&0
cat <&3 >/dev/null & input=$!
while kill -0 $input 2>/dev/null; do
  wait $input
  [ $count -ge 2 ] || continue
  sleep 1
  kill -0 $input 2>/dev/null || exit
  [ -t 2 ] && printf '\\033[?25h' >&2
  echo 'atomic: The running code did not stop, so the process was killed. Its run can be resumed.' >&2
  kill -KILL "$1"
  exit
done
`;

/**
 * Makes a second Ctrl+C end the process even in an endless loop, where JavaScript receives no signal. A shell in the same
 * process group receives it. Returns a function that ends the watch.
 */
export function watchInterrupts({ pid, env }: Pick<NodeJS.Process, "pid" | "env">): () => void {
  const watch = spawn("/bin/sh", ["-c", WATCH, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...env, PATH: "/usr/bin:/bin" },
  });
  // Without the shell, only such loops cannot be interrupted.
  watch.on("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return () => watch.stdin.destroy();
}
