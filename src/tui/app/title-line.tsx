import { useTerminalDimensions } from "@opentui/react";
import { useEffect, useState } from "react";
import { columnsOf, safeLine } from "../../view/index.ts";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";

/** How often the branch is read. */
const BRANCH_MS = 10_000;

/** Which agent, which model; where, on which branch. */
export function TitleLine() {
  const { colors } = useTheme();
  const { host, glyphs } = useUi();
  const { width } = useTerminalDimensions();
  const { agentType, modelName, effort, mode, title } = useChat();
  const branch = useBranch();
  const separator = ` ${glyphs.separator} `;
  const facts = [agentType, modelName, effort, mode === "plan" ? "plan" : undefined];
  const left = [...facts, title].filter((fact) => fact !== undefined && fact !== "").join(separator);
  const room = Math.max(0, width - 4);
  const place = shortenPath(host.workingDirectory);
  const right = branch === undefined ? place : `${place}  ${branch}`;
  const shownLeft = safeLine(left, room);
  const rest = room - columnsOf(shownLeft) - 2;
  return (
    <box height={1} flexShrink={0} flexDirection="row" justifyContent="space-between" paddingX={2}>
      <text fg={colors.foreground} wrapMode="none">
        {shownLeft}
      </text>
      <text fg={colors.muted} wrapMode="none">
        {rest < 8 ? "" : safeLine(right, rest)}
      </text>
    </box>
  );
}

function useBranch(): string | undefined {
  const { host } = useUi();
  const { readBranch } = host;
  const { status } = useChat();
  const [branch, setBranch] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (readBranch === undefined) return;
    let isMounted = true;
    const read = async (): Promise<void> => {
      const found = await readBranch().catch(() => undefined);
      if (!isMounted) return;
      const changes = found === undefined || found.changedFiles === 0 ? "" : ` ±${found.changedFiles}`;
      setBranch(found === undefined ? undefined : `${found.name}${changes}`);
    };
    void read();
    // The agent changes files during a turn: read again when the status changes.
    const timer = setInterval(() => void read(), status === "working" ? BRANCH_MS : BRANCH_MS * 6);
    return () => {
      isMounted = false;
      clearInterval(timer);
    };
  }, [readBranch, status]);
  return branch;
}

/** The last two folders of a path. */
function shortenPath(path: string): string {
  const folders = path.split("/").filter((folder) => folder !== "");
  return folders.length <= 2 ? path : `…/${folders.slice(-2).join("/")}`;
}
