import type { RiskyProgram, Wrapper } from "./risky-program.ts";

function wrapper(names: string, valued = "", flags = "", more: Partial<Wrapper> = {}): RiskyProgram {
  const list = (text: string) => text.split(" ").filter((name) => name !== "");
  return { names: list(names), wrapper: { valued: list(valued), flags: list(flags), ...more } };
}

/** Programs that run the command that follows. Approved only with that command's name. */
export const WRAPPER_PROGRAMS: readonly RiskyProgram[] = [
  wrapper("env", "-u --unset", "-i - -0 --ignore-environment --null", { hasAssignments: true }),
  wrapper(
    "xargs",
    "-n -I -P -L -d -s -a -E -R --max-args --max-procs --replace --delimiter --arg-file --max-lines",
    "-0 -r -t -p -x --null --no-run-if-empty --verbose --exit",
    {
      addsArguments: true,
    },
  ),
  wrapper("parallel", "", "", { addsArguments: true }),
  wrapper("sudo", "-u -g -h -p -C -r -t -T -U --user --group", "-n -E -H -i -s -S -k --non-interactive", {
    hasAssignments: true,
  }),
  wrapper("doas", "-u -C", "-n -s"),
  wrapper("su", "", ""),
  wrapper("runuser", "", ""),
  wrapper("nice", "-n --adjustment", ""),
  wrapper("ionice", "-c -n --class --classdata", "-t"),
  wrapper("chrt", "", ""),
  wrapper("taskset", "-c --cpu-list", "", { operands: 1 }),
  wrapper("nohup setsid noglob nocorrect", "", "-f -w -c --fork --wait"),
  wrapper("stdbuf", "-i -o -e --input --output --error", ""),
  wrapper("timeout gtimeout", "-k -s --kill-after --signal", "-v --foreground --preserve-status --verbose", {
    operands: 1,
  }),
  wrapper("time gtime", "-f --format", "-p -v -l --portability --verbose"),
  wrapper("watch", "-n --interval", "-d -t -b -e -g -c -x"),
  wrapper("flock", "-w --timeout --wait", "-n -x -s -e -o --nonblock --exclusive --shared", { operands: 1 }),
  wrapper("strace ltrace dtruss", "-e -p -s", "-f -c -t -tt -ttt -T -y -q"),
  wrapper(
    "unshare chroot nsenter setarch linux32 linux64 i386 x86_64 firejail bwrap proot fakeroot fakechroot",
    "",
    "",
  ),
  wrapper("script scriptreplay expect unbuffer rlwrap faketime catchsegv perf valgrind heaptrack", "", ""),
  wrapper(
    "screen tmux dtach abduco at batch systemd-run dbus-run-session dbus-launch xvfb-run start-stop-daemon",
    "",
    "",
  ),
  wrapper("numactl prlimit cpulimit choom setpriv capsh pkexec gosu su-exec tini dumb-init s6-setuidgid", "", ""),
  wrapper("entr nodemon watchexec inotifywait chokidar onchange hyperfine multitime", "", ""),
  wrapper("busybox toybox", "", ""),
  wrapper("command", "", "-p", { queries: ["-v", "-V", "-pv", "-pV"] }),
  wrapper("builtin exec", "-a", "-c -l"),
  wrapper("npx bunx pnpx", "-p --package", "-y --yes --no --no-install --bun -q --quiet --ignore-existing", {
    isOpen: true,
  }),
  wrapper("dotenv cross-env dotenvx direnv asdf mise rbenv pyenv nodenv volta fnm nvm", "", "", {
    hasAssignments: true,
  }),
  wrapper("concurrently npm-run-all run-p run-s wsrun", "", ""),
  wrapper("winpty wsl cmd powershell pwsh osascript rundll32 start", "", ""),
  wrapper("socat ncat nc netcat", "", "-z -v -l -u -4 -6", { queries: ["-h", "--help"] }),
];
