import { spawn } from "node:child_process";

/**
 * Ends the process `$1` one second after the second Ctrl+C of the terminal, unless it has ended itself; is over when its
 * standard input is. `cat` notices that, in the background, where no Ctrl+C reaches it. It says so first: where the process
 * leads the terminal's session, its end ends this one, too.
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
  echo 'atomic: The code that ran did not let itself be stopped, so the process was ended. Its run can be resumed.' >&2
  kill -KILL "$1"
  exit
done
`;

/**
 * Has a second Ctrl+C end the process even while its code never returns, as an endless loop: JavaScript hears of no
 * signal then. A shell in the same group of processes hears of it. Gives what ends the watch.
 */
export function watchInterrupts({ pid, env }: Pick<NodeJS.Process, "pid" | "env">): () => void {
  const watch = spawn("/bin/sh", ["-c", WATCH, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...env, PATH: "/usr/bin:/bin" },
  });
  // Without it everything works but for such loops.
  watch.on("error", () => undefined);
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return () => watch.stdin.destroy();
}
