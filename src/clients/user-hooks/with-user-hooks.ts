import type { CodingAgentClient } from "../../contracts/index.ts";
import { HookedClient } from "../hooks/hooked-client.ts";
import { withContinuedTurns } from "./continued-turns.ts";
import { UserHooks, type UserHooksSettings } from "./user-hooks.ts";

/** Settings of {@link withUserHooks}. */
export type WithUserHooksOptions = Omit<UserHooksSettings, "agentType" | "capabilities">;

/**
 * The same client, whose sessions call the hooks that users have in the files of Claude Code, Copilot and OpenCode, in the
 * shapes and by the rules of these vendors. The caller decides which hooks may run: those of a project only if it is
 * trusted, and none that the client's own program runs itself.
 *
 * ```ts
 * const { hooks } = await readHookFiles({ projectDirectory, userHomeDirectory });
 * const commands = hooks.filter((hook) => hook.type === "command");
 * const client = withUserHooks(createOpenCodeClient(options), { commands, projectDirectory, workingDirectory, env, tell });
 * ```
 */
export function withUserHooks(client: CodingAgentClient, options: WithUserHooksOptions): CodingAgentClient {
  const { agentType, capabilities } = client;
  const hooks = new UserHooks({ ...options, agentType, capabilities });
  if (!capabilities.interceptTools && hooks.decidesCalls) {
    options.tell(
      `The agent "${agentType}" lets no hook decide about its tool calls, so hooks before tools do not run. Atomic's permissions still apply.`,
    );
  }
  const continuing = hooks.continuesTurns ? withContinuedTurns(client, hooks.continueTurn) : client;
  return new UserHookedClient(continuing, hooks);
}

/** Also ends what the hooks have started. */
class UserHookedClient extends HookedClient {
  readonly #hooks: UserHooks;

  constructor(inner: CodingAgentClient, hooks: UserHooks) {
    super(inner, hooks);
    this.#hooks = hooks;
  }

  override async stop(): Promise<void> {
    try {
      await super.stop();
    } finally {
      await this.#hooks.close();
    }
  }
}
