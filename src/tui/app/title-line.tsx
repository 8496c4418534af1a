import { useTerminalDimensions } from "@opentui/react";
import { useEffect, useState } from "react";
import { columnsOf, safeLine } from "../../view/index.ts";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { formatPlace } from "./format-status.ts";
import { usePadding } from "./use-padding.ts";

/** More of a path or a branch than a screen shows. */
const MAX_PLACE = 400;

/** How often the branch is read. */
const BRANCH_MS = 10_000;

/** Which agent, which model, what it may do; where, on which branch. */
export function TitleLine() {
  const { colors } = useTheme();
  const { host, glyphs } = useUi();
  const { width } = useTerminalDimensions();
  const { agentType, modelName, effort, mode, title } = useChat();
  const branch = useBranch();
  const separator = ` ${glyphs.separator} `;
  const { allowingOptions = [] } = host;
  const facts = [agentType, modelName, effort, mode === "plan" ? "plan" : undefined];
  const left = [...facts, ...allowingOptions, title]
    .filter((fact) => fact !== undefined && fact !== "")
    .join(separator);
  const padding = usePadding();
  const room = Math.max(0, width - 2 * padding);
  const shownLeft = safeLine(left, room);
  const right = formatPlace(safeLine(host.workingDirectory, MAX_PLACE), {
    ...{ branch: branch === undefined ? undefined : safeLine(branch, MAX_PLACE) },
    glyphs,
    columns: room - columnsOf(shownLeft) - 2,
  });
  return (
    <box height={1} flexShrink={0} flexDirection="row" justifyContent="space-between" paddingX={padding}>
      <text fg={colors.foreground} wrapMode="none">
        {shownLeft}
      </text>
      <text fg={colors.muted} wrapMode="none">
        {right}
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
