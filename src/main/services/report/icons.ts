/** The few signs of a report: the mark, and one for each kind of line. Decorative: the word stands beside each. */
import { html, type Markup } from './html.ts'

/** A ring crossed by a line, in the accent: the load line and nothing else. */
export const MARK: Markup = html`<svg class="mark" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><circle cx="8" cy="8" r="5.25"/><path d="M0 8h16"/></svg>`

const icon = (body: Markup): Markup =>
  html`<svg class="icon" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${body}</svg>`

export const CONTRAST = icon(html`<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" stroke="none"/>`)
export const WARNING = icon(html`<path d="M8 2.5 14 13H2z"/><path d="M8 6.5V9.5M8 11.2v.01"/>`)
export const CHECK = icon(html`<path d="M3 8.5 6.5 12 13 4.5"/>`)
export const CROSS = icon(html`<path d="M4 4l8 8M12 4l-8 8"/>`)
export const OPEN = icon(html`<circle cx="8" cy="8" r="5" stroke-dasharray="2.2 2.2"/>`)
export const NOTE = icon(html`<circle cx="8" cy="8" r="5.5"/><path d="M8 7.5v3.2M8 5.2v.01"/>`)
