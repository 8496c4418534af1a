import { type ReactNode, useCallback } from "react";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { AskDialog } from "../dialogs/ask-dialog.tsx";
import { DialogView } from "../dialogs/dialog-view.tsx";
import { draftOf } from "../input/input-history.ts";
import { PromptInput, type PromptInputProps } from "../input/prompt-input.tsx";
import { usePromptStore } from "../input/use-prompt-store.ts";
import { InboxView } from "../runs/inbox-view.tsx";
import { RunView } from "../runs/run-view.tsx";
import { RunsView } from "../runs/runs-view.tsx";
import { InlineChat, type StyledLine } from "../terminal/inline-chat.tsx";
import { Conversation } from "../transcript/conversation.tsx";
import { entryToLines, hasGapBefore } from "../transcript/entry-to-lines.ts";
import { styleLine } from "../transcript/styled-lines.ts";
import { TranscriptView } from "../transcript/transcript-view.tsx";
import { useChat, useScreen, useTheme, useUi } from "../ui/ui-context.ts";
import type { MainView } from "../ui/ui-store.ts";
import { StatusLine } from "./status-line.tsx";
import { TitleLine } from "./title-line.tsx";
import { useAppKeys } from "./use-app-keys.ts";

/** Properties of {@link App}. */
export interface AppProps extends Pick<PromptInputProps, "onSubmit"> {
  /** @default "full" */
  readonly mode?: "full" | "inline";
}

/** Everything that is shown. */
export function App({ mode = "full", onSubmit }: AppProps) {
  const { view } = useScreen();
  useAppKeys();
  const foot = <Foot onSubmit={onSubmit} />;
  return mode === "full" ? (
    <FullScreen view={view}>{foot}</FullScreen>
  ) : (
    <InlineScreen view={view}>{foot}</InlineScreen>
  );
}

interface ScreenProps {
  readonly view: MainView;
  readonly children: ReactNode;
}

function FullScreen({ view, children }: ScreenProps) {
  const { colors } = useTheme();
  return (
    <box flexDirection="column" width="100%" height="100%" backgroundColor={colors.background}>
      <TitleLine />
      <box height={1} flexShrink={0} />
      {view.type === "chat" ? <Conversation /> : <View view={view} />}
      {children}
    </box>
  );
}

/** The conversation goes to the terminal's own scrollback; other views cover it. */
function InlineScreen({ view, children }: ScreenProps) {
  const theme = useTheme();
  const { glyphs, host, now } = useUi();
  const { workingDirectory } = host;
  const formatEntry = useCallback(
    (entry: ChatEntry, columns: number): readonly StyledLine[] =>
      entryToLines(entry, { columns, glyphs, workingDirectory, now: now() }).map((line) => styleLine(line, theme)),
    [glyphs, workingDirectory, now, theme],
  );
  const covering = view.type === "chat" ? undefined : <FullScreen view={view}>{children}</FullScreen>;
  return (
    <InlineChat
      formatEntry={formatEntry}
      hasGapBefore={hasGapBefore}
      {...(covering === undefined ? {} : { fullScreen: covering })}
    >
      {children}
    </InlineChat>
  );
}

/** Dialogs, the input, and the status. */
function Foot({ onSubmit }: Pick<PromptInputProps, "onSubmit">) {
  const { asks } = useChat();
  const { view, dialog } = useScreen();
  const [ask] = asks;
  // Here, because it outlives the input.
  const prompt = usePromptStore();
  return (
    <>
      {dialog === undefined || ask !== undefined ? undefined : (
        <DialogView dialog={dialog} onDraft={(text) => prompt.setDraft(draftOf(text))} />
      )}
      {ask === undefined ? undefined : <AskDialog key={ask.id} ask={ask} otherCount={asks.length - 1} />}
      {view.type === "chat" && ask === undefined && dialog === undefined ? (
        <PromptInput isFocused store={prompt} onSubmit={onSubmit} />
      ) : undefined}
      <StatusLine />
    </>
  );
}

function View({ view }: { readonly view: Exclude<MainView, { readonly type: "chat" }> }) {
  switch (view.type) {
    case "transcript":
      return <TranscriptView />;
    case "runs":
      return <RunsView />;
    case "run":
      return <RunView runId={view.runId} />;
    case "inbox":
      return <InboxView />;
  }
}
