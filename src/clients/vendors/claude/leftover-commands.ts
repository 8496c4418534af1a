import { readdir, readFile } from "node:fs/promises";
import { platform } from "node:os";
import { kill } from "node:process";

/**
 * Kills the commands that a session was running when its Claude Code process was killed: they lead their own process
 * groups, which only Claude Code itself would have ended. The session's id in their environment identifies them. Only
 * Linux shows the environment; on other systems the commands keep running. Never rejects.
 */
export async function killLeftoverCommands(sessionId: string): Promise<void> {
  if (platform() !== "linux") return;
  const names = await readdir("/proc").catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const pid = Number(name);
      if (Number.isInteger(pid) && (await isOfSession(pid, sessionId))) killIfThere(pid);
    }),
  );
}

/** False for a process that has ended in the meantime or belongs to another user. */
async function isOfSession(pid: number, sessionId: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return environment.split("\0").includes(`CLAUDE_CODE_SESSION_ID=${sessionId}`);
}

function killIfThere(pid: number): void {
  try {
    kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
