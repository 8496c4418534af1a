import type { McpServerStatus } from "../../contracts/index.ts";
import { columnsOf, padColumns, safeLine, safeText } from "../../view/index.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { useDialogSize } from "./dialog-frame.tsx";
import { MessageDialog, type OnTyped, TextDialog } from "./text-dialog.tsx";
import { TextLine } from "./text-line.tsx";
import { useLoaded } from "./use-loaded.ts";
import { wrapText } from "./wrap-text.ts";

const TITLE = "MCP servers";

/** How a server's state is shown: the name of a glyph and of a colour, and a word. */
const LOOKS = {
  connected: { glyph: "done", color: "success", word: "connected" },
  connecting: { glyph: "running", color: "accent", word: "connecting" },
  failed: { glyph: "failed", color: "error", word: "failed" },
  disabled: { glyph: "skipped", color: "muted", word: "disabled" },
  "needs-sign-in": { glyph: "waiting", color: "warning", word: "needs sign-in" },
} as const satisfies Readonly<
  Record<McpServerStatus["status"], { readonly glyph: keyof Glyphs; readonly color: string; readonly word: string }>
>;

/** The MCP servers of the session, with their states. */
export function McpDialog({ onTyped }: { readonly onTyped?: OnTyped | undefined }) {
  const { chat } = useUi();
  const { agentType } = useChat();
  const { columns } = useDialogSize();
  const loaded = useLoaded(async () => await chat.mcpStatus());
  if (loaded.type === "loading")
    return <MessageDialog title={TITLE} message="Loading the servers …" onTyped={onTyped} />;
  if (loaded.type === "failed")
    return <MessageDialog title={TITLE} message={safeText(loaded.message)} isError onTyped={onTyped} />;
  const servers = loaded.value.map((server) => ({ ...server, name: safeLine(server.name, MAX_NAME_COLUMNS) }));
  const nameColumns = Math.max(0, ...servers.map(({ name }) => columnsOf(name)));
  const help = `To add, enable or disable a server, change Atomic's configuration or that of ${agentType}, and restart.`;
  const rows = [
    ...servers.map((server) => (
      <Server key={server.name} server={server} nameColumns={nameColumns} columns={columns} />
    )),
    ...(servers.length === 0 ? [<TextLine key="none" text="This session has no MCP servers." />] : []),
    <TextLine key="gap" text="" />,
    ...wrapText(help, columns).map((line) => <TextLine key={line} tone="muted" text={line} />),
  ];
  return <TextDialog title={TITLE} rows={rows} onTyped={onTyped} />;
}

const MAX_NAME_COLUMNS = 24;

interface ServerProps {
  readonly server: McpServerStatus;
  readonly nameColumns: number;
  readonly columns: number;
}

function Server({ server: { name, status, detail = "" }, nameColumns, columns }: ServerProps) {
  const { colors } = useTheme();
  const { glyphs } = useUi();
  const { glyph, color, word } = LOOKS[status];
  const room = columns - nameColumns - 4;
  const state = safeLine(detail === "" ? word : `${word}: ${detail}`, Math.max(1, room));
  return (
    <text wrapMode="none" height={1} fg={colors.foreground}>
      <span fg={colors[color]}>{glyphs[glyph]}</span> {padColumns(name, nameColumns)}
      {"  "}
      <span fg={colors.muted}>{state}</span>
    </text>
  );
}
