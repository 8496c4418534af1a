import { formatTable, safeLine, safeText, wrapWords } from "../../view/index.ts";
import type { AgentCheck as Check } from "../agents/check-agents.ts";
import { MAX_SHOWN_PROBLEMS } from "../output/problem-printer.ts";
import type { Login } from "./find-login.ts";

/** A check, with the login of an agent. */
export interface FormattedCheck extends Check {
  readonly login?: Login;
}

/** A longer detail is cut in the table, and printed whole below it. */
const DETAIL_COLUMNS = 120;

const LOGIN_WORDS: Readonly<Record<Login, string>> = {
  found: "login found, ",
  none: "no login found, ",
  unneeded: "own endpoint, ",
  unknown: "",
};

/** The login of an agent and the time of a start, then what is found, whose end may be cut. */
function detailOf({ detail, startMs, login = "unknown" }: FormattedCheck): string {
  const start = startMs === undefined ? "" : `starts in ${(startMs / 1_000).toFixed(1)} s, `;
  return `${LOGIN_WORDS[login]}${start}${detail}`;
}

/**
 * The checks as a table, details that it cuts, and a list of the problems with what to do about each.
 * @param columns how wide the terminal is
 */
export function formatChecks(all: readonly FormattedCheck[], columns: number): string {
  const checks = limitChecks(all);
  const rows = checks.map((check) => [check.name, check.status, safeLine(detailOf(check), DETAIL_COLUMNS)]);
  const table = formatTable(["CHECK", "STATUS", "DETAIL"], rows, { columns });
  const linesOf = (found: readonly Check[]): readonly string[] =>
    found.flatMap((check) => noteOf(check).split("\n")).flatMap((line) => wrapWords(line, columns));
  const problems = checks.filter(({ status }) => status !== "ok");
  const details = checks.filter((check) => check.status === "ok" && isCut(check));
  const advice = problems.length === 0 ? ["No problem was found."] : ["What to do:", ...linesOf(problems)];
  return [table, ...(details.length === 0 ? [] : ["", ...linesOf(details)]), "", ...advice].join("\n");
}

function isCut({ detail }: Check): boolean {
  return Bun.stringWidth(safeText(detail)) > DETAIL_COLUMNS;
}

/** What the table does not say of a check: the end of a detail, which may be the reason, and what to do. */
function noteOf(check: Check): string {
  const { name, detail, remedy } = check;
  const parts = [...(isCut(check) || remedy === undefined ? [detail] : []), remedy ?? ""];
  return `${name}: ${safeText(parts.join("\n")).trim()}`;
}

/** Leaves out checks of one name after so many that found something. */
function limitChecks(checks: readonly Check[]): readonly Check[] {
  const byName = Object.entries(Object.groupBy(checks, ({ name, status }) => (status === "ok" ? "" : name)));
  const left = byName.flatMap(([name, found = []]) => (name === "" ? [] : found.slice(MAX_SHOWN_PROBLEMS)));
  const more = Object.entries(Object.groupBy(left, ({ name }) => name)).map(([name, found = []]): Check => {
    const status = found.some((check) => check.status === "broken") ? "broken" : (found[0]?.status ?? "warning");
    return { name, status, detail: `and ${found.length} more: atomic doctor --json` };
  });
  return [...checks.filter((check) => !left.includes(check)), ...more];
}
