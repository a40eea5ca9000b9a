/**
 * A report file, opened again: the HTML report, or the raw data that it saves as JSON. What was measured is read back and checked; the figures are made anew (M12).
 * Files of other programs, of newer versions, cut or changed ones get a sentence each.
 */
import { z } from 'zod'
import { sampleSchema } from '../metric/sample.ts'
import { type Problem, problem, problemSchema } from '../result/problem.ts'
import { err, ok, type Result } from '../result/result.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { cellSchema, sweepPlanSchema } from '../sweep/plan.ts'
import { driverReportSchema, environmentSchema } from '../sweep/sweep-event.ts'
import { serverFactsSchema } from '../sweep/target.ts'
import { turnRowSchema } from '../sweep/turn-row.ts'
import { RAW_DATA_FORMAT, unpackRawData } from './raw-data.ts'
import { REPORT_JSON_SCHEMA } from './report-json.ts'

/** A standard sweep's report has at most 2 MB, the largest sweep that the analysis is made for (100,000 sessions) about 60. */
export const LARGEST_REPORT_CHARS = 128 * 1024 * 1024

const maybe = z.number().nullable()

/** Fields that came with later versions have the value that means "was not known". */
const sweepStateSchema = z.object({
  plan: sweepPlanSchema,
  environment: environmentSchema,
  startedEpochMs: z.number(),
  facts: serverFactsSchema.nullable(),
  status: z.enum(['running', 'completed', 'cancelled', 'failed', 'interrupted']),
  problem: problemSchema.nullable(),
  cells: z.array(
    z.object({
      cell: cellSchema,
      status: z.enum(['planned', 'running', 'done', 'void', 'skipped']),
      startedAtMs: maybe,
      endedAtMs: maybe,
      wavesStarted: z.number(),
      driver: driverReportSchema.nullable(),
      drainMs: maybe,
      voidReason: problemSchema.nullable(),
      because: z.string().nullable().default(null),
    }),
  ),
  rows: z.array(turnRowSchema),
  samples: z.array(sampleSchema),
  warnings: z.array(z.object({ code: z.string(), text: z.string(), cell: maybe })),
  lastAtMs: z.number(),
})

/** @param fileName for the sentences only */
export function readReportFile(fileName: string, content: string): Result<SweepState, Problem> {
  const json = rawJson(fileName, content)
  if (!json.ok) return json
  const read = readRaw(json.value)
  if (read === undefined) return err(foreign(fileName, json.value))
  const state = sweepStateSchema.safeParse(read)
  if (!state.success) return err(damaged(fileName, state.error))
  const fault = inconsistency(state.data)
  if (fault !== undefined) return err(contradictory(fileName, fault))
  return ok(state.data)
}

const RAW_SCRIPT = /<script[^>]*\bid="raw-data"[^>]*>/

function rawJson(fileName: string, content: string): Result<unknown, Problem> {
  if (content.length > LARGEST_REPORT_CHARS) return err(tooLarge(fileName, content.length))
  const text = content.replace(/^\uFEFF/, '').trimStart()
  if (text === '')
    return err(problem('report-empty', `${fileName} is empty.`, REPORT_EXPECTED, 'Ask for the file again; it may have been cut on its way.'))
  if (!text.startsWith('<')) return parse(fileName, text)
  const opening = RAW_SCRIPT.exec(text)
  if (opening === null) return err(notAReport(fileName, 'is a web page, but no report by Plimsoll: it holds no raw data'))
  const from = opening.index + opening[0].length
  const to = text.indexOf('</script', from)
  if (to === -1) return err(cut(fileName))
  return parse(fileName, text.slice(from, to))
}

function parse(fileName: string, text: string): Result<unknown, Problem> {
  try {
    return ok(JSON.parse(text))
  } catch {
    return err(/^\s*[[{]/.test(text) ? cut(fileName) : notAReport(fileName, 'is neither an HTML report nor JSON'))
  }
}

function readRaw(json: unknown): unknown {
  try {
    return unpackRawData(json)?.sweep
  } catch {
    return undefined
  }
}

/** Rows point at cells by their index; a file in which they don't would be read as something else than was measured. */
function inconsistency({ cells, rows, plan }: z.infer<typeof sweepStateSchema>): string | undefined {
  const misplaced = cells.findIndex(({ cell }, index) => cell.index !== index)
  if (misplaced !== -1) return `cell ${misplaced} stands in the place of another`
  if (cells.length < plan.cells.length) return `it holds ${cells.length} of ${plan.cells.length} planned cells`
  const stray = rows.find(({ cell }) => cell >= cells.length)
  return stray === undefined ? undefined : `a session belongs to cell ${stray.cell}, which isn't there`
}

const REPORT_EXPECTED = 'Expected a report that Plimsoll wrote (HTML), or the raw data saved from one (JSON).'

const notAReport = (fileName: string, what: string) =>
  problem('report-foreign', `${fileName} ${what}.`, REPORT_EXPECTED, 'Result files of other tools are read by `plimsoll analyse FILE`.')

const cut = (fileName: string) =>
  problem(
    'report-cut',
    `${fileName} is cut or damaged: its raw data don't end as they should.`,
    REPORT_EXPECTED,
    'Get the file again from where it came from.',
  )

const tooLarge = (fileName: string, chars: number) =>
  problem(
    'report-too-large',
    `${fileName} is too large for a report (${Math.round(chars / 1e6)} MB).`,
    `A report has a few megabytes; up to ${Math.round(LARGEST_REPORT_CHARS / 1e6)} MB are read.`,
    'Check that it is the right file.',
  )

function foreign(fileName: string, json: unknown): Problem {
  const told = typeof json === 'object' && json !== null ? (json as { format?: unknown; schema?: unknown }) : {}
  if (told.schema === REPORT_JSON_SCHEMA)
    return problem(
      'report-without-sessions',
      `${fileName} holds the figures of a sweep, but not the sessions that they are made of.`,
      REPORT_EXPECTED,
      'Give the HTML report of the same sweep, or the raw data saved from it.',
    )
  if (typeof told.format === 'string' && told.format.startsWith('plimsoll.report/'))
    return problem(
      'report-newer',
      `${fileName} was written by another version of Plimsoll (its format is ${told.format.slice(0, 40)}).`,
      `This one reads ${RAW_DATA_FORMAT}.`,
      'Open it with the Plimsoll that wrote it, or a newer one.',
    )
  return notAReport(fileName, 'is JSON, but no raw data of a report')
}

function damaged(fileName: string, error: z.ZodError): Problem {
  const [first] = error.issues
  const where = first === undefined || first.path.length === 0 ? 'the whole' : first.path.map(String).join('.')
  return problem(
    'report-damaged',
    `${fileName} looks like a report, but can't be read: ${where.slice(0, 120)} is not what it should be (${(first?.message ?? 'unknown').slice(0, 160)}).`,
    REPORT_EXPECTED,
    'It may have been changed by hand or written by a newer Plimsoll; get the file again. Nothing was stored.',
  )
}

const contradictory = (fileName: string, fault: string) =>
  problem(
    'report-damaged',
    `${fileName} looks like a report, but contradicts itself: ${fault}.`,
    REPORT_EXPECTED,
    'It may have been changed by hand; get the file again. Nothing was stored.',
  )
