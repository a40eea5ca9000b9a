/** Types that follow from a contract: what main answers with (`Api`) and what the page calls (`Client`). */
import type { z } from 'zod'
import type { Problem } from '../../core/result/problem.ts'
import type { Result } from '../../core/result/result.ts'
import type { CallEndpoint, Contract, StreamEndpoint } from './define.ts'

/** Where a stream's values go: one viewer. */
export interface Sink<T> {
  /**
   * Sends a value, or keeps it until the viewer has room for it.
   * @returns undefined while there is room; else a promise that settles when there is room again or the viewer has gone. Who can hold back waits for it.
   */
  next(value: T): Promise<void> | undefined
  /** No more values will come. */
  end(): void
  /** Ends the stream with what went wrong. */
  fail(problem: Problem): void
}

export type CallHandler<I, O> = (input: I) => Result<O, Problem> | Promise<Result<O, Problem>>
/** Returns what stops it; called once, when the viewer goes, the stream ends or the connection closes. */
export type StreamHandler<I, O> = (input: I, out: Sink<O>) => () => void

export type Handler<E> =
  E extends CallEndpoint<infer I, infer O>
    ? CallHandler<z.output<I>, z.output<O>>
    : E extends StreamEndpoint<infer I, infer O>
      ? StreamHandler<z.output<I>, z.output<O>>
      : never

export type Api<C extends Contract> = { readonly [S in keyof C]: { readonly [E in keyof C[S]]: Handler<C[S][E]> } }

/** One viewer of a stream, in the page. */
export interface Observer<T> {
  /** A promise holds the credit back until it settles: a terminal that still parses is not sent more. */
  next(value: T): void | Promise<void>
  /** The stream failed, or the connection was lost (code `connection-lost`). Nothing follows. */
  error?(problem: Problem): void
  /** The stream has ended by itself. Nothing follows. */
  end?(): void
}

export type ClientCall<I, O> = (input: I) => Promise<Result<O, Problem>>
/** Returns what stops it: no callback comes after that. */
export type ClientStream<I, O> = (input: I, observer: Observer<O>) => () => void

export type ClientEndpoint<E> =
  E extends CallEndpoint<infer I, infer O>
    ? ClientCall<z.input<I>, z.output<O>>
    : E extends StreamEndpoint<infer I, infer O>
      ? ClientStream<z.input<I>, z.output<O>>
      : never

export type Client<C extends Contract> = { readonly [S in keyof C]: { readonly [E in keyof C[S]]: ClientEndpoint<C[S][E]> } }
