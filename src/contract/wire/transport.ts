/** What every transport gives the wire: an ordered pipe of text and binary messages between two ends. How it travels is the transport's own business. */

export type Message = string | Uint8Array

export interface TransportHandlers {
  message(message: Message): void
  /** Once, whichever end closed it or however it broke. Nothing comes after it. */
  closed(): void
}

export interface Transport {
  /** Silently does nothing once the transport is closed. */
  send(message: Message): void
  /** Called once, by `serve` or `connect`; messages that came before are delivered then. */
  listen(handlers: TransportHandlers): void
  close(): void
}
