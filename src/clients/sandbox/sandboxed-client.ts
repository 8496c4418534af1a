import {
  type CodingAgentClient,
  SandboxInvalidError,
  type Session,
  type SessionConfig,
} from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import type { ClientOptions } from "../options/client-options.ts";
import { ForwardingClient } from "../turn/forwarding/forwarding-client.ts";
import { realPath } from "./check-sandbox.ts";
import { resolveSandbox } from "./resolve-sandbox.ts";

/**
 * The same client. If the options request a sandbox, it reports that its agent is sandboxed. All sessions share the sandbox
 * of the agent's process, so a session in a folder outside it is rejected.
 */
export function sandboxedClient(client: CodingAgentClient, options: ClientOptions): CodingAgentClient {
  return options.sandbox === undefined ? client : new SandboxedClient(client, options);
}

class SandboxedClient extends ForwardingClient {
  readonly #options: ClientOptions;

  constructor(inner: CodingAgentClient, options: ClientOptions) {
    super(inner);
    this.#options = options;
  }

  override get isSandboxed(): boolean {
    return true;
  }

  override async createSession(config?: SessionConfig): Promise<Session> {
    this.#assertFolder(config);
    return this.inner.createSession(config);
  }

  override async resumeSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    this.#assertFolder(config);
    return this.inner.resumeSession(sessionId, config);
  }

  override async forkSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    this.#assertFolder(config);
    return this.inner.forkSession(sessionId, config);
  }

  #assertFolder({ workingDirectory: folder }: SessionConfig = {}): void {
    const { sandbox = {}, env, workingDirectory } = this.#options;
    if (folder === undefined) return;
    const { readRoots, writeRoots = [] } = resolveSandbox(sandbox, { home: env.HOME });
    const roots = [workingDirectory, ...readRoots, ...writeRoots];
    if (roots.some((root) => isWithin(realPath(folder), realPath(root)))) return;
    throw new SandboxInvalidError(
      "workingDirectory",
      `the folder "${folder}" is not in the agent's sandbox. Name it in sandbox.writeRoots, or in sandbox.readRoots.`,
    );
  }
}
