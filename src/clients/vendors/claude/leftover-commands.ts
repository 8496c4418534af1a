import { readdir, readFile } from "node:fs/promises";
import { platform } from "node:os";
import { kill } from "node:process";

/**
 * Kills the commands that a session of Claude Code had under way when its process was killed: they lead process groups of
 * their own, and only Claude Code itself would have ended them. They are known by the session's identifier in their
 * environment, which only Linux shows; elsewhere they go on to their end. Never rejects.
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

/** A process that has ended meanwhile, or is another user's, is not the session's. */
async function isOfSession(pid: number, sessionId: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  return environment.split("\0").includes(`CLAUDE_CODE_SESSION_ID=${sessionId}`);
}

function killIfThere(pid: number): void {
  try {
    kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
