import { type AcpConnection, openAcpConnection } from "./acp-connection.ts";
import type { AcpOptions } from "./acp-options.ts";
import { buildPresetSettings } from "./acp-preset-settings.ts";

/** Keeps one process of an agent: it is started when it is needed, and again when it has ended. */
export class AcpConnector {
  readonly #options: AcpOptions;
  readonly #onConnect: (connection: AcpConnection) => void;
  #connecting: Promise<AcpConnection> | undefined;
  #connection: AcpConnection | undefined;

  /** `onConnect` hears of each process that was started. */
  constructor(options: AcpOptions, onConnect: (connection: AcpConnection) => void) {
    this.#options = options;
    this.#onConnect = onConnect;
  }

  /** The running agent; a new one when it has ended or could not be started. */
  async connect(): Promise<AcpConnection> {
    if (this.#connection?.isOpen === false) {
      this.#connecting = undefined;
      this.#connection = undefined;
    }
    this.#connecting ??= openAcpConnection(this.#options, buildPresetSettings(this.#options.preset, this.#options));
    const connecting = this.#connecting;
    try {
      const connection = await connecting;
      if (this.#connecting === connecting && this.#connection !== connection) {
        this.#connection = connection;
        this.#onConnect(connection);
      }
      return connection;
    } catch (error) {
      if (this.#connecting === connecting) this.#connecting = undefined;
      throw error;
    }
  }

  /** Ends the process. Idempotent; a later `connect` starts another one. */
  async stop(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    this.#connection = undefined;
    // One that could not be started has nothing to stop, and told whoever started it.
    const connection = await connecting?.catch(() => undefined);
    await connection?.stop();
  }
}
