/** Deletes sessions that a dead load driver has left in the runner, so that their turns stop. What can't be deleted is left: the runner may be gone too. */

const LIMIT_MS = 5_000

export async function deleteSessions(runner: { readonly url: string; readonly token: string }, sessionIds: readonly string[]): Promise<void> {
  const headers = { Authorization: `Bearer ${runner.token}` }
  await Promise.allSettled(
    sessionIds.map((id) =>
      fetch(`${runner.url}/v1/sessions/${encodeURIComponent(id)}`, { method: 'DELETE', headers, signal: AbortSignal.timeout(LIMIT_MS) }),
    ),
  )
}
