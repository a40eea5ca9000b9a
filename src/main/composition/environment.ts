/** Where a sweep was measured: machine, versions, GPUs. Read once; the GPUs' names come a moment later, from a tool that may not be there. */
import { execFile } from 'node:child_process'
import { arch, cpus, release, type as systemType, totalmem } from 'node:os'
import { promisify } from 'node:util'
import type { Environment } from '../../core/sweep/sweep-event.ts'
import { version } from '../platform/version.ts'

const GPU_LIMIT_MS = 3_000

/** @returns empty without an NVIDIA driver */
async function readGpuNames(): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader'], { timeout: GPU_LIMIT_MS })
    return stdout.split('\n').flatMap((line) => line.trim() || [])
  } catch {
    return []
  }
}

/** The value of now; ask for it when it is needed. */
export function watchEnvironment(host: Environment['host']): () => Environment {
  const cores = cpus()
  let environment: Environment = {
    plimsoll: version,
    node: process.versions.node,
    system: `${systemType()} ${release()} ${arch()}`,
    cpuModel: cores[0]?.model.trim() ?? '',
    cores: cores.length,
    memoryBytes: totalmem(),
    gpus: [],
    host,
  }
  void readGpuNames().then((gpus) => {
    environment = { ...environment, gpus }
  })
  return () => environment
}
