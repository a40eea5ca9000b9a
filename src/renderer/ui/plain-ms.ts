/** A chosen span, not a measured one, reads better without decimals that nobody chose: `500 ms`, `2 s`, `0.1 ms`. */
export const plainMs = (ms: number): string => (ms >= 1000 ? `${Number((ms / 1000).toFixed(3))} s` : `${Number(ms.toFixed(3))} ms`)
