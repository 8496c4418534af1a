import type { RiskyProgram, Wrapper } from "./risky-program.ts";

function wrapper(names: string, valued = "", flags = "", more: Partial<Wrapper> = {}): RiskyProgram {
  const list = (text: string) => text.split(" ").filter((name) => name !== "");
  return { names: list(names), wrapper: { valued: list(valued), flags: list(flags), ...more } };
}

/** Programs whose whole command must be spelled out: it is not certain where the command that they run begins. */
function spelled(names: string, exempt?: RegExp): RiskyProgram {
  const everything = { reason: "it runs what its arguments say", ...(exempt === undefined ? {} : { exempt }) };
  return { names: names.split(" "), everything };
}

/** Programs that run the command after them. A rule must spell out that command's name. */
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
  wrapper("nice", "-n --adjustment", ""),
  wrapper("ionice", "-c -n --class --classdata", "-t"),
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
  wrapper("busybox toybox", "", ""),
  wrapper("command", "", "-p", { queries: ["-v", "-V", "-pv", "-pV"] }),
  wrapper("builtin exec", "-a", "-c -l"),
  wrapper("npx bunx pnpx", "-p --package", "-y --yes --no --no-install --bun -q --quiet --ignore-existing", {
    isOpen: true,
  }),
  spelled("su runuser chrt unshare chroot nsenter setarch linux32 linux64 i386 x86_64 firejail bwrap proot"),
  spelled("fakeroot fakechroot script scriptreplay expect unbuffer rlwrap faketime catchsegv perf valgrind heaptrack"),
  spelled("screen tmux dtach abduco at batch systemd-run dbus-run-session dbus-launch xvfb-run start-stop-daemon"),
  spelled("numactl prlimit cpulimit choom setpriv capsh pkexec gosu su-exec tini dumb-init s6-setuidgid"),
  spelled(
    "entr watchexec inotifywait chokidar onchange hyperfine multitime concurrently npm-run-all run-p run-s wsrun",
  ),
  spelled("nodemon", /^[A-Za-z0-9_./-]+\.[cm]?[jt]s$/),
  spelled(
    "dotenv cross-env dotenvx direnv asdf mise rbenv pyenv nodenv volta fnm nvm",
    /^(?:use|ls|list|versions?|current|which|install|local|global|--version|-v)(?: [A-Za-z0-9_.-]+)*$/,
  ),
  spelled("winpty wsl cmd powershell pwsh osascript rundll32 start"),
  spelled("socat ncat nc netcat", /^-[zvu46n]+ [A-Za-z0-9_.-]+ \d+$/),
];
