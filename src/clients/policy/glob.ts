/** How a glob is read: `path` globs respect folders, `command` globs span everything. */
export interface GlobOptions {
  readonly kind: "path" | "command";
  /** Treat upper and lower case alike. @default false */
  readonly ignoreCase?: boolean;
}

/**
 * Whether a glob matches a whole text. `*` is any run of characters (in a path: within one folder), `?` one of them,
 * `**` in a path any run of folders, none included, and `{a,b}` either. Names that start with a dot match like others.
 */
export function matchesGlob(glob: string, text: string, { kind, ignoreCase = false }: GlobOptions): boolean {
  const source = kind === "path" ? pathGlobSource(glob) : commandGlobSource(glob);
  return new RegExp(`^${source}$`, ignoreCase ? "iu" : "u").test(text);
}

function commandGlobSource(glob: string): string {
  return glob.replace(/\*+|\?|[^*?]+/g, (token) => {
    if (token === "?") return "[^]";
    return token.startsWith("*") ? "[^]*" : escapeForRegExp(token);
  });
}

function pathGlobSource(glob: string, braces: "alternatives" | "literal" = "alternatives"): string {
  let depth = 0;
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[{},]|[^*?{},]+/g, (token) => {
    switch (token) {
      case "**/":
        return "(?:[^]*/)?";
      case "**":
        return "[^]*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        if (braces === "literal") return "\\{";
        depth += 1;
        return "(?:";
      case "}":
        if (depth === 0) return "\\}";
        depth -= 1;
        return ")";
      case ",":
        return depth > 0 ? "|" : ",";
      default:
        return escapeForRegExp(token);
    }
  });
  return depth === 0 ? source : pathGlobSource(glob, "literal");
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
