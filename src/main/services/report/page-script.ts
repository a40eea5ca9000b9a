/** The only script of a report: switches the theme, and saves the embedded data as a file. Works from disk, without a network. */
export const PAGE_SCRIPT = `
'use strict'
{
  const root = document.documentElement
  document.getElementById('theme').addEventListener('click', () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = dark ? 'light' : 'dark'
  })
  document.getElementById('save').addEventListener('click', () => {
    const raw = document.getElementById('raw-data')
    const url = URL.createObjectURL(new Blob([raw.textContent], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = url
    link.download = raw.dataset.fileName
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10000)
  })
}
`
