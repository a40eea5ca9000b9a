import { expect, test } from 'vitest'
import { html, prose, trusted } from './html.ts'

test('what is put into markup is escaped, markup itself is not', () => {
  const name = `<script>alert("1")</script> & 'more'`
  expect(html`<p title="${name}">${html`<b>${name}</b>`}</p>`.text).toBe(
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;"><b>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;</b></p>',
  )
  expect(html`<style>${trusted('a > b {}')}</style>`.text).toBe('<style>a > b {}</style>')
})

test('nothing shows for nothing, each for a list, and 0 for 0', () => {
  expect(html`${null}${undefined}${false}${0}${['a', html`<i>b</i>`]}`.text).toBe('0a<i>b</i>')
})

test('control characters and overrides of the reading direction are left out', () => {
  expect(html`${'a\u0000b\u001b[31mc\u202ed'}`.text).toBe('ab[31mcd')
})

test('a number stays with its unit', () => {
  expect(prose('N = 4 took 1.60 s of 98 % at 3 sessions')).toBe('N\u00a0=\u00a04 took 1.60\u00a0s of 98\u00a0% at 3 sessions')
})
