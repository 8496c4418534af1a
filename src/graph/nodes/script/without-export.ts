/** Discovery reads the same texts. */
export { withoutExport } from "../../../contracts/index.ts";
