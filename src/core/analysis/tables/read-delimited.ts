/** Comma-, semicolon-, tab- and pipe-separated text as records: quotes, byte order marks, comment lines, decimal commas. Linear in its length. */

export type Records = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly decimalComma: boolean
  /** Rows beyond those that are read. */
  readonly isCut: boolean
}

/** More rows than these are no table of levels; the rest is left unread, and said to be. */
export const MOST_ROWS = 20_000
const DELIMITERS = [',', ';', '\t', '|'] as const

/** @returns undefined when the text is no table: no line with at least two fields */
export function readDelimited(text: string): Records | undefined {
  const clean = text.replace(/^\ufeff/, '')
  const lines = clean
    .slice(0, 4000)
    .split(/\r?\n|\r/)
    .filter(isContent)
  const delimiter = likelyDelimiter(lines.slice(0, 8))
  if (delimiter === undefined) return undefined
  const all = splitRecords(clean, delimiter).filter((fields) => fields.some((field) => field !== '') && !(fields[0] ?? '').startsWith('#'))
  const [first, ...rest] = all
  if (first === undefined || first.length < 2) return undefined
  const hasHeader = first.some((field) => field !== '' && !/^[+-]?[\d.,]+$/.test(field))
  const columns = hasHeader ? first : first.map((_, index) => (index === 0 ? 'n' : `column ${index + 1}`))
  const rows = (hasHeader ? rest : all).slice(0, MOST_ROWS)
  const isCut = all.length > MOST_ROWS
  return { columns: columns.map((name) => name.trim()), rows, decimalComma: delimiter !== ',' && usesDecimalComma(rows), isCut }
}

const isContent = (line: string) => line.trim() !== '' && !line.startsWith('#')

function likelyDelimiter(lines: readonly string[]): string | undefined {
  const counts = DELIMITERS.map((delimiter) => {
    const perLine = lines.map((line) => splitRecords(line, delimiter)[0]?.length ?? 1)
    const [header = 1] = perLine
    const alike = perLine.filter((count) => count === header).length
    return { delimiter, score: header < 2 ? 0 : (alike / perLine.length) * 1000 + header }
  })
  const best = counts.reduce((a, b) => (b.score > a.score ? b : a))
  return best.score === 0 ? undefined : best.delimiter
}

/** `1,5` in a table of semicolons; `1,500` alone does not count. */
function usesDecimalComma(rows: readonly (readonly string[])[]): boolean {
  return rows.slice(0, 200).some((row) => row.some((field) => /^[+-]?\d+,(\d{1,2}|\d{4,})$/.test(field.trim())))
}

export function splitRecords(text: string, delimiter: string): string[][] {
  const records: string[][] = []
  let fields: string[] = []
  let start = 0
  let index = 0
  const end = text.length
  const push = (field: string) => fields.push(field.trim())
  while (index <= end) {
    const char = index === end ? '\n' : (text[index] ?? '')
    if (char === '"' && text.slice(start, index).trim() === '') {
      const [field, after] = quoted(text, index + 1)
      const next = nextBreak(text, after, delimiter)
      push(field)
      if (next >= end || text[next] !== delimiter) {
        records.push(fields)
        fields = []
      }
      index = next + 1
      if (text[next] === '\r' && text[next + 1] === '\n') index += 1
      start = index
      if (next >= end) break
      continue
    }
    if (char === delimiter) {
      push(text.slice(start, index))
      start = index + 1
    } else if (char === '\n' || char === '\r') {
      if (index < end || start < end || fields.length > 0) {
        push(text.slice(start, index))
        records.push(fields)
        fields = []
        if (records.length > MOST_ROWS + 1) break
      }
      if (char === '\r' && text[index + 1] === '\n') index += 1
      start = index + 1
    }
    index += 1
  }
  return records
}

function quoted(text: string, from: number): [string, number] {
  let field = ''
  let index = from
  for (;;) {
    const close = text.indexOf('"', index)
    if (close === -1) return [field + text.slice(index), text.length]
    field += text.slice(index, close)
    if (text[close + 1] !== '"') return [field, close + 1]
    field += '"'
    index = close + 2
  }
}

function nextBreak(text: string, from: number, delimiter: string): number {
  let index = from
  while (index < text.length && text[index] !== delimiter && text[index] !== '\n' && text[index] !== '\r') index += 1
  return index
}

/** `|---|--:|`, the line under a Markdown table's names. */
export const isTableRule = (line: string): boolean => line.includes('--') && line.includes('|') && /^[\s:|-]+$/.test(line)

/** The first table of a Markdown text: a line of names, a line of dashes, lines of cells. */
export function readMarkdownTable(text: string): Records | undefined {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const rule = lines.findIndex((line, index) => index > 0 && isTableRule(line))
  const header = lines[rule - 1]
  if (rule === -1 || header === undefined || !header.includes('|')) return undefined
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim().replace(/^\*\*|\*\*$|^`|`$/g, ''))
  const rows: string[][] = []
  for (const line of lines.slice(rule + 1)) {
    if (!line.includes('|') || rows.length >= MOST_ROWS) break
    rows.push(cells(line))
  }
  return { columns: cells(header), rows, decimalComma: usesDecimalComma(rows), isCut: rows.length >= MOST_ROWS }
}
