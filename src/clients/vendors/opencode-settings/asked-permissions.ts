/**
 * What OpenCode asks Atomic about. Each name is spelled out because a name wins over `*`, so that `*` alone would leave
 * the user's own `"bash": "allow"` in force, past the policy. The allowed ones change nothing outside the conversation.
 */
export const PERMISSIONS: Readonly<Record<string, "ask" | "allow">> = {
  "*": "ask",
  read: "ask",
  edit: "ask",
  glob: "ask",
  grep: "ask",
  list: "ask",
  bash: "ask",
  task: "ask",
  external_directory: "ask",
  webfetch: "ask",
  websearch: "ask",
  codesearch: "ask",
  doom_loop: "ask",
  lsp: "ask",
  question: "allow",
  skill: "ask",
  todoread: "allow",
  todowrite: "allow",
};

/** The names that need nobody's leave. */
export const ALLOWED_PERMISSIONS: readonly string[] = Object.keys(PERMISSIONS).filter(
  (name) => PERMISSIONS[name] === "allow",
);
