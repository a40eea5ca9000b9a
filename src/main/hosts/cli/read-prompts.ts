/** Prompts that a sweep is given: a file (`--workload FILE`), or the turns of a recorded chat (`--replay`). */
import { readFile, stat } from 'node:fs/promises'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { MOST_PROMPT_BYTES, parsePrompts } from '../../../core/sweep/parse-prompts.ts'
import type { SweepRequest } from '../../../core/sweep/plan.ts'
import type { CliApp } from './cli-app.ts'

type Prompts = Pick<SweepRequest['workload'], 'kind' | 'prompts' | 'source'>

export async function readPromptFile(path: string): Promise<Result<Prompts, Problem>> {
  try {
    const { size } = await stat(path)
    if (size > MOST_PROMPT_BYTES) return err(tooLarge(path, size))
    const prompts = parsePrompts(await readFile(path, 'utf8'), path)
    return prompts.ok ? ok({ kind: 'file', prompts: prompts.value, source: path }) : prompts
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    const why = code === 'ENOENT' ? `There is no workload and no file named "${path}".` : `The prompts in ${path} can't be read (${code}).`
    return err(
      problem(
        'prompts-unreadable',
        why,
        'Expected short-chat, long-context, agent, mixed, or a file of prompts.',
        'For example: --workload long-context',
      ),
    )
  }
}

/** @param which the chat's id, the beginning of it, or "last" */
export function recordedPrompts(chats: CliApp['chats'], which: string): Result<Prompts, Problem> {
  const kept = chats.list()
  const chat =
    which === 'last'
      ? kept.toSorted((a, b) => a.lastActivityEpochMs - b.lastActivityEpochMs).at(-1)
      : (kept.find(({ sessionId }) => sessionId === which) ?? onlyOne(kept.filter(({ sessionId }) => sessionId.startsWith(which))))
  const said = chat === undefined ? [] : chats.events(chat.sessionId).flatMap((event) => (event.type === 'turn-accepted' ? [event.text] : []))
  if (chat !== undefined && said.length > 0) return ok({ kind: 'replay', prompts: said, source: chat.sessionId })
  const known = kept.slice(-5).map(({ sessionId, title }) => `${sessionId} (${title})`)
  return err(
    problem(
      'chat-unknown',
      chat === undefined ? `There is no recorded chat "${which}".` : `The chat ${chat.sessionId} has no turns.`,
      known.length === 0 ? 'No chat is kept in this data folder.' : `Kept are: ${known.join(', ')}.`,
      known.length === 0 ? 'Chat with a model in Plimsoll first; --data names another data folder.' : 'Give one of these ids, or "last".',
    ),
  )
}

const onlyOne = <T>(items: readonly T[]): T | undefined => (items.length === 1 ? items[0] : undefined)

function tooLarge(path: string, sizeBytes: number): Problem {
  return problem(
    'prompts-too-large',
    `${path} has ${(sizeBytes / 1e6).toFixed(1)} MB.`,
    `A file of prompts may have ${MOST_PROMPT_BYTES / 1e6} MB.`,
    'Take fewer prompts, or shorter ones.',
  )
}
