/**
 * What an agent's process may access in its sandbox. Paths are absolute or begin with `~/`. Every sandbox lets the agent
 * read the system's programs, the project and its own files, write its own conversations and a temporary folder that is
 * removed with it, and connect to its model.
 */
export interface SandboxConfig {
  /** Files and folders that may be read, besides those above. @default none: the rest of the home folder is hidden */
  readonly readRoots?: readonly string[];
  /** Folders that may be written to. An empty list makes the project read-only. @default the working directory */
  readonly writeRoots?: readonly string[];
  /** Files and folders that stay hidden inside readable folders. */
  readonly denyRead?: readonly string[];
  /**
   * Allowed hosts, as `example.com`, `*.example.com` or `example.com:443`, besides the model's. A service on
   * this machine needs its port: `127.0.0.1:5432`.
   * @default none
   */
  readonly network?: readonly string[];
}
