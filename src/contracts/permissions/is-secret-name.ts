/** Whether a file of this name holds secrets, as `.env` and `.env.local` do. */
export function isSecretName(name: string): boolean {
  return /^\.env(?:\.|$)/i.test(name) && name !== ".env.example";
}
