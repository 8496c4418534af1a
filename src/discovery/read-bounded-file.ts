export { FileUnusableError, MAX_FILE_BYTES, readBoundedBytes, readBoundedFile } from "../system/index.ts";
