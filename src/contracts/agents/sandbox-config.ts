/**
 * What an agent's process may reach in its sandbox. Paths are absolute or begin with `~/`. Whatever a sandbox is set to, an
 * agent reads the system's programs, the project and its own files; it writes its own conversations and a temporary folder
 * that is removed with it; it reaches its model.
 */
export interface SandboxConfig {
  /** Files and folders that may be read, besides those above. @default none: the rest of the home folder is hidden */
  readonly readRoots?: readonly string[];
  /** Folders that may be written to. An empty list makes the project read-only. @default the working directory */
  readonly writeRoots?: readonly string[];
  /** Files and folders that stay hidden although a folder above them may be read. */
  readonly denyRead?: readonly string[];
  /**
   * Hosts that may be reached, as `example.com`, `*.example.com` or `example.com:443`, besides the model's. A service on
   * this machine needs its port: `127.0.0.1:5432`.
   * @default none
   */
  readonly network?: readonly string[];
}
