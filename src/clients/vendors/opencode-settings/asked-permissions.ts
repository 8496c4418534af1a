/**
 * What OpenCode asks Atomic about. Each name is listed because a name wins over `*`: with `*` alone, the user's own
 * `"bash": "allow"` would bypass the policy. The allowed ones change nothing outside the conversation.
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

/** The names that need no approval. */
export const ALLOWED_PERMISSIONS: readonly string[] = Object.keys(PERMISSIONS).filter(
  (name) => PERMISSIONS[name] === "allow",
);
