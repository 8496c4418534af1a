import { type RiskyOperands, type RiskyProgram, risky } from "./risky-program.ts";

const WRITES = "it writes a file of any name";
const RUNS = "it runs a program";

/** Writes the files that options with these names name. */
function writing(names: string, options: string, more: Partial<RiskyProgram> = {}): RiskyProgram {
  return { names: names.split(" "), options: risky(WRITES, options), ...more };
}

/** Reads a number of files and writes the next operand. `valued` options take their value from the next word. */
function copying(names: string, reads: number, valued = ""): RiskyProgram {
  return {
    names: names.split(" "),
    outputs: { after: reads, valued: valued.split(" ").filter(Boolean), reason: WRITES },
  };
}

/** What a value does, also in one word with its option. */
function within(pattern: RegExp, reason: string): RiskyOperands {
  return { pattern, reason, isWithinOptions: true };
}

const WORDS = { hasOnlyWords: true };

/**
 * Programs that usually only read, but write a file with certain operands or options: a rule that allows one of them is not
 * meant to allow that. Programs whose purpose is to write (`tee`, `cp`, `split`) are not listed.
 */
export const WRITING_PROGRAMS: readonly RiskyProgram[] = [
  copying("uniq guniq", 1, "-f -s -w --skip-fields --skip-chars --check-chars"),
  copying("xxd", 1, "-c -cols -g -groupsize -l -len -n -name -o -s -seek -R"),
  copying("pdftotext", 1, "-f -l -r -x -y -W -H -enc -eol -opw -upw -fixed -colspacing"),
  copying("qpdf", 1),
  writing("tree", "-o -R"),
  writing("shuf gshuf", "-o --output", { valued: "inr" }),
  writing("sdiff diff colordiff", "-o --output", { valued: "wWIUCFSx" }),
  writing("diffstat", "-o", { valued: "fnpNwDS" }),
  writing("ptx gptx", "-G --traditional"),
  writing("iconv giconv", "-o --output", { valued: "ft" }),
  writing("base64 base32 basenc gbase64", "-o --output", { valued: "wib" }),
  writing("file", "-C --compile", { valued: "efFmP" }),
  writing("yq", "-i --inplace --in-place -s --split-exp", { valued: "opI" }),
  writing("xmllint", "-o -output --output -shell --shell", WORDS),
  writing("xsltproc", "-o -output --output -writesubtree --writesubtree", WORDS),
  writing("tidy", "-o -output --output-file -output-file --write-back -m -modify -f -file -config --config"),
  writing("dot neato fdp sfdp twopi circo osage patchwork", "-o -O", { valued: "GNETKlns" }),
  writing("ncdu", "-o -O", { valued: "fX" }),
  writing("sar", "-o", { valued: "fienPs" }),
  writing("ss", "-D --diag", { valued: "fAFN" }),
  writing("http https xh xhs", "-o --output -d --download --session"),
  writing("gpg gpg2 gpgv gpgsm", "-o --output --logger-file --log-file --status-file --attribute-file", {
    valued: "urRN",
  }),
  writing("gpg gpg2", "--use-embedded-filename --enarmor --dearmor"),
  writing(
    "openssl",
    "-out -keyout -writerand -CAcreateserial -outdir -certsout -cacertsout -extracertsout -chainout -reqout -rspout -respout -srvcertout -sess_out -keylogfile -msgfile -newkeyout",
    WORDS,
  ),
  writing("tcpdump dumpcap tshark", "-w", { valued: "cirsfyYEBCGWT" }),
  writing("nmap", "-oN -oX -oS -oG -oA -oM", WORDS),
  writing("eslint stylelint tslint", "-o --output-file --out --cache-location --cache-file"),
  writing("ruff mypy pylint flake8", "--output-file --output --junit-xml --tee"),
  writing("docker podman nerdctl", "-o --output --iidfile --cidfile --metadata-file --digestfile", {
    valued: "fnptuvewlHc",
  }),
  writing("pg_dump pg_dumpall mysqldump", "-f --file -r --result-file -T --tab"),
  {
    names: ["sqlite3"],
    options: risky(WRITES, "-append -archive -A"),
    hasOnlyWords: true,
    operands: within(/\bwritefile\s*\(|\battach\b|\bvacuum\b[^;]*\binto\b/i, WRITES),
  },
  {
    names: ["psql"],
    options: risky(WRITES, "-o --output -L --log-file"),
    valued: "cdfFhpPRTUv",
    operands: within(
      /\\(?:o|out|w|write|g|gx|gexec|s|copy|watch)\b|\\!|\\[\s\S]*[`|]|\bcopy\b[^;]*\b(?:to|program)\b/i,
      "it writes a file of any name, or runs a program",
    ),
  },
  {
    names: ["mysql", "mariadb"],
    options: risky(WRITES, "--tee"),
    operands: within(
      /\\[!TP.]|(?:^|;|^-e|^--[a-z]+=)\s*(?:tee|pager|source|system|edit)\b|\binto\s+(?:out|dump)file\b/i,
      "it writes a file of any name, or runs a program",
    ),
  },
  {
    names: ["curl"],
    operands: within(/%output\{|^--expand-/, WRITES),
  },
  writing("curl", "--ssl-sessions", { harmless: ["--ssl"] }),
  writing("wget wget2", "--hsts-file --rejected-log"),
  writing("bun", "--outfile --outdir"),
  {
    names: ["pandoc"],
    options: {
      ...risky(WRITES, "-o --output --extract-media --log"),
      ...risky(RUNS, "-F --filter -L --lua-filter --pdf-engine --defaults -d --data-dir"),
    },
    valued: "ftrwMVTHBA",
  },
  {
    names: ["fzf", "sk"],
    options: risky(RUNS, "--preview --bind --listen --listen-unsafe --with-shell"),
  },
];
