// The first file that Bun runs. The launcher next to it starts Bun in Atomic's own folder, where no file of the user's
// project can change how Atomic loads; this file returns to the caller's folder. A compiled Atomic has no launcher: it
// begins here, in the caller's folder.
import { delimiter, isAbsolute } from "node:path";
import { argv, chdir, env, exit } from "node:process";

// The launcher's changes to the environment are for Bun, not for the programs that Atomic starts.
if (env.ATOMIC_BUN_CACHE === "unset") delete env.BUN_RUNTIME_TRANSPILER_CACHE_PATH;
delete env.ATOMIC_BUN_CACHE;

const startDirectory = env.ATOMIC_START_DIR;
if (startDirectory !== undefined) {
  delete env.ATOMIC_START_DIR; // programs that Atomic starts must not inherit it
  try {
    chdir(startDirectory);
  } catch {
    console.error("atomic: The current directory cannot be entered.");
    console.error("Atomic works in the directory it is called in, and this one was removed or may not be read.");
    console.error("Change to another directory and call Atomic again.");
    exit(1);
  }
  env.PWD = startDirectory;
}

// Programs in relative folders of the PATH, which lie in the project, must not stand for the system's.
if (env.PATH !== undefined) env.PATH = env.PATH.split(delimiter).filter(isAbsolute).join(delimiter) || "/usr/bin:/bin";

// A compiled Atomic has no other files that it could start. These are the arguments of the modules that start them.
if (argv[2] === "--check-file") await import("../src/cli/loading/check-program.ts");
else if (argv[2] === "--run-plugins") await import("../src/cli/hooks/plugin-program.ts");
else await import("../src/cli/main.ts");
