import { expect, test } from 'vitest'
import { isOurPage } from './senders.ts'

const page = 'plimsoll://app/'

test('only the top frame of our own page may ask for the port', () => {
  expect(isOurPage({ url: 'plimsoll://app/#sweep', parent: null }, page)).toBe(true)
  expect(isOurPage({ url: 'plimsoll://app/', parent: {} }, page)).toBe(false)
  for (const url of ['plimsoll://app.evil/', 'plimsoll://evil/', 'https://app/', 'file:///app/', 'about:blank', '', 'nonsense']) {
    expect([url, isOurPage({ url, parent: null }, page)]).toEqual([url, false])
  }
  expect(isOurPage(null, page)).toBe(false)
})

test('in development the page of that one address counts instead', () => {
  expect(isOurPage({ url: 'http://localhost:5173/', parent: null }, 'http://localhost:5173')).toBe(true)
  expect(isOurPage({ url: 'http://localhost:5174/', parent: null }, 'http://localhost:5173')).toBe(false)
})
