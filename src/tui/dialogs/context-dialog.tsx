import { formatCount, padColumns } from "../../view/index.ts";
import type { ShownColor } from "../theme/shown-theme.ts";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { type ContextPart, contextParts } from "./context-parts.ts";
import { useDialogSize } from "./dialog-frame.tsx";
import { MessageDialog, type OnTyped, TextDialog } from "./text-dialog.tsx";
import { TextLine } from "./text-line.tsx";
import { useLoaded } from "./use-loaded.ts";

const TITLE = "Context";

/** The widest bar, in cells. */
const MAX_BAR_CELLS = 60;

const NAME_COLUMNS = "system and tools".length;

/** How full the context window is, and with what. */
export function ContextDialog({ onTyped }: { readonly onTyped?: OnTyped | undefined }) {
  const { chat, glyphs } = useUi();
  const { contextUsage } = useChat();
  const { colors } = useTheme();
  const { columns } = useDialogSize();
  // Some agents do not report it.
  const loaded = useLoaded(
    async () =>
      (await chat
        .session()
        ?.getSystemToolsTokens()
        .catch(() => 0)) ?? 0,
  );
  if (contextUsage === undefined) {
    return (
      <MessageDialog
        title={TITLE}
        message="The agent has not reported its context yet. It does so after a turn."
        onTyped={onTyped}
      />
    );
  }
  const { usedTokens, maxTokens } = contextUsage;
  const used = formatCount(usedTokens);
  if (maxTokens === 0) {
    return (
      <MessageDialog
        title={TITLE}
        message={`${used} tokens used. The agent does not report the size of its context.`}
        onTyped={onTyped}
      />
    );
  }
  const systemTokens = loaded.type === "loaded" ? loaded.value : 0;
  const parts = contextParts(contextUsage, { systemTokens, cells: Math.min(columns, MAX_BAR_CELLS) });
  const [full, middle, empty] = glyphs.shades;
  const looks: Readonly<Record<ContextPart["name"], { readonly shade: string; readonly color: ShownColor }>> = {
    "system and tools": { shade: middle, color: colors.muted },
    messages: { shade: full, color: colors.accent },
    free: { shade: empty, color: colors.muted },
  };
  const shown = parts.filter(({ name, tokens }) => name !== "system and tools" || tokens > 0);
  const rows = [
    <text key="bar" wrapMode="none" height={1}>
      {shown.map(({ name, cells }) => (
        <span key={name} fg={looks[name].color}>
          {looks[name].shade.repeat(cells)}
        </span>
      ))}
    </text>,
    <TextLine key="gap" text="" />,
    ...shown.map(({ name, tokens }) => (
      <text key={name} wrapMode="none" height={1} fg={colors.foreground}>
        <span fg={looks[name].color}>{looks[name].shade}</span> {padColumns(name, NAME_COLUMNS)}
        {formatCount(tokens).padStart(8)}
        <span fg={colors.muted}>{`${percent(tokens, maxTokens)}%`.padStart(6)}</span>
      </text>
    )),
  ];
  return (
    <TextDialog
      title={`${TITLE}: ${used} of ${formatCount(maxTokens)}, ${percent(usedTokens, maxTokens)}%`}
      rows={rows}
      onTyped={onTyped}
    />
  );
}

function percent(part: number, whole: number): number {
  return Math.round((part / whole) * 100);
}
