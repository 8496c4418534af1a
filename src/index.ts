export * from "./clients/index.ts";
export * from "./contracts/index.ts";
