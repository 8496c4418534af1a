import { join } from "node:path";
import { compileProgram } from "./compile-program.ts";

// Compiles dist/atomic, for this platform.

const outfile = join(import.meta.dirname, "../dist/atomic");
await compileProgram(outfile);
console.log(outfile);
