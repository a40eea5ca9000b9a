/** Makes a forgotten kind a compile error, and a thrown bug if it still arrives at run time. */
export function assertNever(value: never): never {
  throw new Error(`A kind that nobody handles: ${JSON.stringify(value)}`)
}
