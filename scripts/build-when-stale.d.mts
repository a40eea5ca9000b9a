export function buildWhenStale(): boolean
