import { join } from "node:path";
import process from "node:process";
import { messageOf, withResolvers } from "../../contracts/index.ts";
import type { ChatHost, OpenChatOptions, RunsPort, Theme } from "../../tui/index.ts";
import { safeText } from "../../view/index.ts";
import type { ChatFlags } from "../chat/chat-flags.ts";
import { modeOf } from "../chat/chat-settings-of.ts";
import { createChatHost } from "../chat/create-chat-host.ts";
import { lateRunsPort } from "../chat/runs/late-runs-port.ts";
import { type CliEnvironment, findAtomicHome } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { openTelemetry } from "../telemetry/open-telemetry.ts";
import { OutputError } from "../unusable-place.ts";

/** The terminal UI, which is loaded only for the chat. */
export interface ChatUi {
  readonly parseTheme: (theme: unknown) => Theme;
  /** Resolves when the user has left the chat. */
  readonly openChat: (host: ChatHost, options: Pick<OpenChatOptions, "mode" | "onDrawn">) => Promise<void>;
}

/** `atomic` without a command: a conversation with an agent in the terminal. */
export async function chatCommand(
  environment: CliEnvironment,
  flags: ChatFlags,
  loadUi: (environment: CliEnvironment) => Promise<ChatUi> = loadChatUi,
): Promise<ExitCode> {
  // It takes a while, and so do the settings.
  const loading = loadUi(environment);
  loading.catch(() => undefined);
  const drawn = withResolvers<void>();
  const telemetry = await openTelemetry({
    environment,
    mayAsk: true,
    tell: (line) => environment.stderr.write(`${line}\n`),
  });
  const { host, tell, stop } = await createChatHost({
    ...{ environment, flags, telemetry, drawn: drawn.promise },
    parseTheme: async (theme) => (await loading).parseTheme(theme),
    async startRun(name, run) {
      const { startRun } = await import("../chat/runs/start-run.ts");
      return await startRun(environment, name, run);
    },
    runs: lateRunsPort(() => loadRuns(environment)),
  });
  const returnScreen = takeScreen(environment, tell);
  const openedAt = Date.now();
  try {
    const { openChat } = await loading;
    telemetry.track({ eventType: "ui.chat.opened", properties: { agentType: host.agentType } });
    const mode = modeOf(flags);
    await openChat(host, { onDrawn: drawn.resolve, ...(mode === undefined ? {} : { mode }) });
    return ExitCode.done;
  } finally {
    returnScreen();
    telemetry.track({ eventType: "ui.chat.closed", properties: { durationMs: Date.now() - openedAt } });
    await stop();
    await telemetry.close();
  }
}

/** While the UI draws, what the code of tools prints is a line of the conversation. Returns a function that ends this. */
function takeScreen({ screen, userCode, redactor, stderr }: CliEnvironment, tell: (line: string) => void): () => void {
  const printOf = (text: string): string => safeText(redactor.text(text));
  userCode.sayTo((text) => tell(printOf(text)));
  // Without an output, the conversation shows nothing: the call reports it when the chat has ended.
  const outputErrors: OutputError[] = [];
  // An error that nothing caught ends the chat in the UI, which restores the terminal first.
  const detach = userCode.attach((error) => {
    if (error instanceof OutputError) outputErrors.push(error);
    else tell(messageOf(error));
  });
  const endLending = screen.lendOutput();
  return () => {
    endLending();
    detach();
    userCode.sayTo((text) => stderr.write(`${printOf(text)}\n`));
    for (const error of outputErrors) userCode.fail(error);
  };
}

async function loadChatUi(environment: CliEnvironment): Promise<ChatUi> {
  const [{ openChat, parseTheme }, { createTerminalProcess }] = await inProduction(() =>
    Promise.all([loadUiModules(), import("../chat/terminal-process.ts")]),
  );
  const exit = (code: number): void => environment.screen.leave(code);
  // OpenTUI's own place is a folder of its own in the user's home.
  const highlighting = { cacheDirectory: join(findAtomicHome(environment), "cache", "opentui") };
  return {
    parseTheme,
    openChat: (host, options) => openChat(host, createTerminalProcess(process, { exit }), { ...options, highlighting }),
  };
}

async function loadRuns(environment: CliEnvironment): Promise<RunsPort> {
  const { createRunsPort } = await import("../chat/runs/create-runs-port.ts");
  return createRunsPort(environment);
}

async function loadUiModules() {
  const ui = await import("../../tui/index.ts");
  // Without the native library the chat has a plain mode, which says why.
  await ui.preloadChat().catch(() => undefined);
  return ui;
}

/** React reads the variable when it is loaded: its development build is several times slower. */
async function inProduction<Result>(load: () => Promise<Result>): Promise<Result> {
  const { NODE_ENV } = process.env;
  // Tests of components in the same process need the other build.
  if (NODE_ENV === "test") return await load();
  process.env.NODE_ENV = "production";
  try {
    return await load();
  } finally {
    // The user's programs must not inherit it.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}
