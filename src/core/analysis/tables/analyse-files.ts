/** `analyse` for files that were given or dropped: read, judged by the same verdicts, told. Pure; the one entry for command line and page. */
import type { Problem } from '../../result/problem.ts'
import { analyse } from '../analyse.ts'
import type { Analysis, CurveFit } from '../analysis.ts'
import { drawnFits, fitCurves } from '../curves/fit-curves.ts'
import type { AnalysedTable } from './analysed-table.ts'
import { claimsAcross } from './compare-tables.ts'
import { judgeTable } from './judge-table.ts'
import type { MeasuredTable } from './measured-table.ts'
import { type FileIn, readFiles } from './read-files.ts'

export type AnalysedFiles = { readonly tables: readonly AnalysedTable[]; readonly problems: readonly Problem[] }

/** More rows than these are not repeated in the answer. */
const MOST_ROWS_SHOWN = 200
/** Curves with intervals cost tens of milliseconds a table; a collection of tables is wanted for its verdicts. */
const MOST_TABLES_FITTED = 6
const FIT_LEVELS = { least: 3, most: 60 } as const

/** @param files names with folders in them, so that files of one run are known as such */
export function analyseFiles(files: readonly FileIn[]): AnalysedFiles {
  const read = readFiles(files)
  const across = claimsAcross(read.tables)
  const tables = read.tables.map((table, index) => analysedTable(table, across[index] ?? [], read.tables.length <= MOST_TABLES_FITTED))
  const reports = read.reports.map(({ source, raw }) => analysedReport(source, analyse(raw.sweep)))
  return { tables: [...reports, ...tables], problems: read.problems }
}

function analysedTable(table: MeasuredTable, across: readonly string[], withFits: boolean): AnalysedTable {
  const { verdict, ceilingN, highestTestedN, claims, missing, doubts, series, rates } = judgeTable(table)
  return {
    verdict,
    ceilingN,
    highestTestedN,
    claims: [...claims, ...across],
    missing: [...missing],
    doubts: [...doubts],
    source: table.source,
    format: table.format,
    series: [...series],
    understood: [...table.understood],
    ignored: [...table.ignored],
    published: [...table.published],
    rows: table.rows.slice(0, MOST_ROWS_SHOWN).map(({ figures, labels }) => ({ ...labels, ...figures })),
    fits: withFits ? fitsOf(rates) : [],
  }
}

function fitsOf(rates: readonly { n: number; rate: number }[]): CurveFit[] {
  return rates.length < FIT_LEVELS.least || rates.length > FIT_LEVELS.most ? [] : drawnFits(fitCurves(rates))
}

function analysedReport(source: string, analysis: Analysis): AnalysedTable {
  const { verdict, ceilings, levels } = analysis
  const tested = levels.filter(({ leg }) => leg !== 'null')
  const settles = verdict.toSettle === null ? [] : [verdict.toSettle]
  return {
    verdict,
    ceilingN: ceilings.throughput.status === 'found' ? ceilings.throughput.n : null,
    highestTestedN: tested.length === 0 ? null : Math.max(...tested.map(({ n }) => n)),
    claims: [
      verdict.sentence,
      ...verdict.evidence.filter(({ stance }) => stance !== 'open').map(({ text }) => text),
      `Throughput ceiling: ${ceilings.throughput.because}.`,
      `SLO ceiling: ${ceilings.slo.because}.`,
    ],
    missing: [...settles, ...verdict.evidence.filter(({ stance }) => stance === 'open').map(({ text }) => text)],
    doubts: analysis.warnings.map(({ text }) => text),
    source,
    format: 'Plimsoll report',
    series: [],
    understood: [],
    ignored: [],
    published: [],
    rows: tested.map(({ n, leg, tokensPerSec, decodeTokensPerSec }) => ({
      n,
      leg,
      ...(tokensPerSec === null ? {} : { totalTokensPerSec: tokensPerSec }),
      ...(decodeTokensPerSec === null ? {} : { decodeTokensPerSecPerRequest: decodeTokensPerSec }),
    })),
    fits: analysis.fits,
  }
}
