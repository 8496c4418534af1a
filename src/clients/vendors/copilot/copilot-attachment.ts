import { setTimeout as sleep } from "node:timers/promises";
import type { CopilotSession as SdkSession } from "@github/copilot-sdk";
import type { McpServerStatus } from "../../../contracts/index.ts";
import { createHandlers, type HandlerContext } from "./copilot-handlers.ts";
import { toMcpServerStatus } from "./copilot-status.ts";
import type { CopilotConnection } from "./runtime/copilot-connection.ts";
import { toSessionError } from "./runtime/copilot-errors.ts";
import { buildSessionConfig, type SessionSettings } from "./runtime/copilot-options.ts";

/** A conversation in the SDK, with its connection. */
export interface Attachment {
  readonly connection: CopilotConnection;
  readonly sdk: SdkSession;
}

/** Settings of {@link attachSession}. */
export interface AttachOptions {
  /** Whether Copilot already has the conversation. */
  readonly how: "create" | "resume";
  readonly settings: SessionSettings;
  readonly handlers: Omit<HandlerContext, "config" | "workingDirectory">;
  /** Receives every event of the vendor. */
  readonly onEvent: (raw: unknown) => void;
}

/** How long MCP servers may take to connect, and how often their state is polled, in milliseconds. */
const MCP_CONNECT_MS = 5_000;
const MCP_LOOK_MS = 25;

/**
 * Opens a conversation in the runtime whose calls only Atomic's policy can allow.
 * @throws UnknownSessionError if the conversation to resume does not exist
 */
export async function attachSession(connection: CopilotConnection, options: AttachOptions): Promise<Attachment> {
  const { how, settings, handlers, onEvent } = options;
  const { config, workingDirectory } = settings;
  const { sessionId } = handlers;
  const vendorConfig = {
    ...buildSessionConfig(settings),
    ...createHandlers({ ...handlers, config, workingDirectory }),
    onEvent,
  };
  const opening = connection.call((client) =>
    how === "create"
      ? client.createSession({ ...vendorConfig, sessionId })
      : client.resumeSession(sessionId, vendorConfig),
  );
  const sdk = await opening.catch((error: unknown) => {
    throw toSessionError(error, sessionId);
  });
  const attachment = { connection, sdk };
  // Permanent approvals of the user in this folder must not count: the policy decides.
  await connection.call(() => sdk.rpc.permissions.resetSessionApprovals({}));
  // A turn that starts earlier would not have their tools.
  if (config.mcpServers !== undefined) await loadMcpStatus(attachment);
  return attachment;
}

/** The state of the MCP servers, after a short wait for those that are connecting. */
export async function loadMcpStatus({ connection, sdk }: Attachment): Promise<readonly McpServerStatus[]> {
  const deadline = Date.now() + MCP_CONNECT_MS;
  for (;;) {
    const { servers } = await connection.call(() => sdk.rpc.mcp.list());
    const statuses = servers.map(toMcpServerStatus);
    if (Date.now() > deadline || statuses.every(({ status }) => status !== "connecting")) return statuses;
    await sleep(MCP_LOOK_MS, undefined, { ref: false });
  }
}

/** Ends the commands and sub-agents in the background, except those that the agent detached on purpose. */
export async function cancelBackground({ connection, sdk }: Attachment): Promise<void> {
  const { tasks } = await connection.call(() => sdk.rpc.tasks.list());
  const running = tasks.filter(
    (task) => task.status === "running" && !("attachmentMode" in task && task.attachmentMode === "detached"),
  );
  // A task that has ended meanwhile cannot be cancelled, and need not be.
  await Promise.allSettled(running.map(({ id }) => connection.call(() => sdk.rpc.tasks.cancel({ id }))));
}
