import { expect, test } from 'vitest'
import { ManualClock } from '../platform/clock.ts'
import { createSelfMeasure } from './self-measure.ts'

test('M10: the pause between two waves is no delay of the loop', () => {
  const clock = new ManualClock()
  const measure = createSelfMeasure(clock)
  for (let wave = 0; wave < 20; wave++) {
    measure.start()
    clock.advance(30)
    measure.stop()
    clock.advance(500)
  }
  expect(measure.report(1).loopDelayP99Ms).toBeLessThan(1)
})

test('M10: lags are told as median and p99, of all waves together', () => {
  const measure = createSelfMeasure(new ManualClock())
  for (let i = 1; i <= 200; i++) measure.submitted(i / 10)
  for (let i = 0; i < 98; i++) measure.received(0.3)
  measure.received(7.04)
  measure.received(7.04)
  expect(measure.report(8)).toMatchObject({ lagP50Ms: 10, lagP99Ms: 19.8, receiveLagP99Ms: 7.1, maxInFlight: 8 })
})

test('a driver that heard no events says nothing of its receipt', () => {
  expect(createSelfMeasure(new ManualClock()).report(0)).not.toHaveProperty('receiveLagP99Ms')
})
